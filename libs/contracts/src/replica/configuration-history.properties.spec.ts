import fc from 'fast-check';
import { RoutingReplica } from './routing-replica';
import type { ConnectionId, PipelineId } from '../ids';
import type { HistoricalConnection } from '../historical-connection';
import { CONNECTIONS, histories, PIPELINES } from './history.fixtures';
import type { Span } from './span';
import {
  type ConnectionState,
  type EventPipelineState,
  stateKey,
  type StateRecord,
  supersededKey,
} from '../state';

type History = readonly StateRecord[];

/** The model: everything is kept, and looked for. */
const statesOf = (history: History, id: ConnectionId) =>
  history.flatMap(({ position, state }) =>
    state.kind === 'connection' && state.id === id ? [{ position, state }] : [],
  );

const modelConnection = (history: History, id: ConnectionId, position: number) => {
  const found = statesOf(history, id).findLast((each) => each.position <= position);
  return found === undefined || found.state.deleted ? undefined : kept(found.state);
};

const kept = ({ id, workspace, connector, version, deleted, links }: ConnectionState) =>
  ({ id, workspace, connector, version, deleted, links }) satisfies HistoricalConnection;

const isEvents = (state: StateRecord['state']): state is EventPipelineState =>
  state.kind === 'pipeline' && state.target === 'Event';

const modelPipelines = (history: History, connection: ConnectionId, position: number) => {
  const newest = new Map<string, EventPipelineState>();
  for (const { position: from, state } of history)
    if (isEvents(state) && state.connection === connection && from <= position)
      newest.set(state.id, state);
  const there = [...newest.values()].filter(({ deleted }) => !deleted);
  return there.sort((a, b) => (a.id < b.id ? -1 : 1));
};

/** What the topic holds once it was compacted. */
const compacted = (history: History): History => {
  const last = new Map<string | undefined, StateRecord>();
  for (const record of history) {
    last.set(stateKey(record.state), record);
    last.delete(supersededKey(record.state));
  }
  return history.filter((record) => last.get(stateKey(record.state)) === record);
};

const fed = (records: History): RoutingReplica => {
  const replica = new RoutingReplica();
  for (const record of records) replica.apply(record);
  replica.settle();
  return replica;
};

const positionsOf = (history: History): number[] =>
  Array.from({ length: history.length + 2 }, (_, position) => position);

const expectLikeModel = (replica: RoutingReplica, history: History, from = 0): void => {
  for (const position of positionsOf(history).slice(from))
    for (const id of CONNECTIONS) {
      expect(replica.connectionAt(id, position)).toEqual(modelConnection(history, id, position));
      expect(replica.pipelinesOnAt(id, position)).toEqual(modelPipelines(history, id, position));
    }
};

const pipelineStatesOf = (history: History, id: PipelineId) =>
  history.flatMap(({ position, state }) =>
    isEvents(state) && state.id === id ? [{ position, state }] : [],
  );

const learnAll = (replica: RoutingReplica, history: History): void => {
  for (const id of CONNECTIONS) replica.learn(id, statesOf(history, id), history.length);
  for (const id of PIPELINES)
    replica.learnPipeline(id, pipelineStatesOf(history, id), history.length);
};

it('knows every position when it has seen everything', () => {
  fc.assert(
    fc.property(histories, (history) => {
      expectLikeModel(fed(history), history);
    }),
  );
});

it('is not changed by what comes once more', () => {
  fc.assert(
    fc.property(histories, fc.nat(60), (history, again) => {
      const replica = fed([...history, ...history.slice(again), ...history]);
      expectLikeModel(replica, history);
    }),
  );
});

it('names the ranges that it lacks, and has them once added', () => {
  fc.assert(
    fc.property(histories, fc.nat(60), (history, at) => {
      const replica = fed([...compacted(history.slice(0, at)), ...history.slice(at)]);
      for (const position of positionsOf(history))
        for (const id of CONNECTIONS) {
          const known = replica.connectionAt(id, position);
          const pipelines = replica.pipelinesOnAt(id, position);
          const isUnknown = replica.unknownPipelinesOnAt(id, position).length > 0;
          expect(pipelines === 'unknown').toBe(isUnknown);
          if (position >= at) expect([known, pipelines]).not.toContain('unknown');
          if (known !== 'unknown') expect(known).toEqual(modelConnection(history, id, position));
          if (!isUnknown) expect(pipelines).toEqual(modelPipelines(history, id, position));
        }
      learnAll(replica, history);
      expectLikeModel(replica, history);
    }),
  );
});

it('knows the added ranges, and no more', () => {
  const ranges = fc.array(fc.tuple(fc.constantFrom(...CONNECTIONS), fc.nat(60), fc.nat(20)));
  fc.assert(
    fc.property(histories, fc.nat(60), ranges, (history, at, added) => {
      const replica = fed([...compacted(history.slice(0, at)), ...history.slice(at)]);
      for (const [id, from, length] of added) {
        const to = Math.min(from + length, history.length);
        replica.learn(id, statesWithin(history, id, from, to), to);
        for (let each = from; each <= to; each += 1)
          expect(replica.connectionAt(id, each)).toEqual(modelConnection(history, id, each));
      }
      for (const position of positionsOf(history))
        for (const id of CONNECTIONS) {
          const known = replica.connectionAt(id, position);
          if (known !== 'unknown') expect(known).toEqual(modelConnection(history, id, position));
        }
    }),
  );
});

/** The state that held at `from`, and those that followed up to `to`. */
const statesWithin = (history: History, id: ConnectionId, from: number, to: number) => {
  const states = statesOf(history, id);
  const first = Math.max(
    0,
    states.findLastIndex(({ position }) => position <= from),
  );
  return states.slice(first).filter(({ position }) => position <= to);
};

it('keeps all that is needed from a position on', () => {
  fc.assert(
    fc.property(histories, fc.nat(60), (history, at) => {
      const replica = fed(history);
      replica.forgetBefore(at);
      expectLikeModel(replica, history, at);
      learnAll(replica, history);
      expectLikeModel(replica, history);
    }),
  );
});

it('spans positions at which everything is the same', () => {
  fc.assert(
    fc.property(histories, fc.nat(60), (history, at) => {
      const replica = fed([...compacted(history.slice(0, at)), ...history.slice(at)]);
      const end = history.length + 2;
      const destination = (id: ConnectionId, position: number) => ({
        isThere: replica.connectionAt(id, position) !== undefined,
        pipelines: replica.pipelinesOnAt(id, position),
      });
      const routing = (id: ConnectionId, position: number) => {
        const state = replica.connectionAt(id, position);
        const links = typeof state === 'object' ? state.links : [];
        const destinations = links.map((each) => destination(each, position));
        return { links, destinations, isThere: state !== undefined };
      };
      for (const position of positionsOf(history))
        for (const id of CONNECTIONS) {
          const span = replica.history.destinationSpanAt(id, position);
          expectSpan(span, position, end, (each) => destination(id, each));
          expect(span.until === Infinity).toBe(replica.history.changedAt(id) <= position);
          const routes = replica.history.routesSpanAt(id, position);
          expectSpan(routes, position, end, (each) => routing(id, each));
        }
    }),
  );
});

const expectSpan = (
  { from, until }: Span,
  position: number,
  end: number,
  what: (position: number) => unknown,
): void => {
  expect(from).toBeLessThanOrEqual(position);
  expect(until).toBeGreaterThan(position);
  for (let each = from; each < Math.min(until, end); each += 1)
    expect(what(each)).toEqual(what(position));
};
