import type {
  ConfigurationState,
  ConnectionId,
  ConnectionState,
  SendingPipelineState,
  StateRecord,
} from '@penstock/contracts';
import fc from 'fast-check';
import { warehouseOf } from '../store/lane-id';
import { WORKSPACE } from '../testing/pipelines.fixture';
import { DESTINATIONS, Facts, pipelineId, RoutesStand, shown, SOURCES } from './routing.fixture';

jest.setTimeout(30_000);

type Change =
  | { readonly what: 'link' | 'unlink'; readonly source: number; readonly destination: number }
  | { readonly what: 'connect' | 'rename' | 'disconnect'; readonly connection: number }
  | { readonly what: 'create'; readonly pipeline: number; readonly on: number }
  | { readonly what: 'enable' | 'disable' | 'update' | 'delete'; readonly pipeline: number };

const CONNECTIONS = [...SOURCES, ...DESTINATIONS];
const PIPELINES = 5;

const changes: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constantFrom('link' as const, 'link' as const, 'unlink' as const),
      source: fc.nat(SOURCES.length - 1),
      destination: fc.nat(DESTINATIONS.length - 1),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constantFrom('connect' as const, 'rename' as const, 'disconnect' as const),
      connection: fc.nat(CONNECTIONS.length - 1),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('create' as const),
      pipeline: fc.nat(PIPELINES - 1),
      on: fc.nat(CONNECTIONS.length - 1),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constantFrom(
        'enable' as const,
        'disable' as const,
        'update' as const,
        'delete' as const,
      ),
      pipeline: fc.nat(PIPELINES - 1),
    }),
  },
);

const isThere = (state: ConfigurationState | undefined): boolean =>
  state !== undefined && 'deleted' in state && !state.deleted;

const linksOf = (facts: Facts, source: ConnectionId): readonly ConnectionId[] =>
  (facts.of(source) as ConnectionState).links;

/** Deletes a connection with its pipelines and links, as the pipeline service does. */
const disconnect = (facts: Facts, id: ConnectionId): void => {
  for (let index = 0; index < PIPELINES; index += 1) {
    const pipeline = facts.of(pipelineId(index)) as SendingPipelineState | undefined;
    if (isThere(pipeline) && pipeline?.connection === id)
      facts.pipeline(pipeline.id, { deleted: true });
  }
  for (const source of SOURCES)
    if (isThere(facts.of(source)) && linksOf(facts, source).includes(id))
      facts.connection(source, { links: linksOf(facts, source).filter((each) => each !== id) });
  facts.connection(id, { deleted: true, links: [] });
};

const changeLinks = (
  facts: Facts,
  { what, source, destination }: Extract<Change, { source: number }>,
) => {
  const [from, to] = [SOURCES[source], DESTINATIONS[destination]] as [ConnectionId, ConnectionId];
  if (!isThere(facts.of(from)) || !isThere(facts.of(to))) return;
  const others = linksOf(facts, from).filter((each) => each !== to);
  facts.connection(from, { links: what === 'link' ? [...others, to] : others });
};

const changeConnection = (
  facts: Facts,
  { what, connection }: Extract<Change, { connection: number }>,
) => {
  const id = CONNECTIONS[connection] as ConnectionId;
  if (facts.of(id) === undefined) facts.connection(id);
  else if (!isThere(facts.of(id)) || what === 'connect') return;
  else if (what === 'rename') facts.connection(id, { name: `Version ${String(facts.position)}` });
  else disconnect(facts, id);
};

const changePipeline = (facts: Facts, change: Extract<Change, { pipeline: number }>): void => {
  const id = pipelineId(change.pipeline);
  if (change.what === 'create') {
    const connection = CONNECTIONS[change.on] as ConnectionId;
    if (facts.of(id) !== undefined || !isThere(facts.of(connection))) return;
    if (DESTINATIONS.includes(connection)) facts.pipeline(id, { connection });
    else facts.pipeline(id, { connection, target: 'Event', eventType: null });
    return;
  }
  if (!isThere(facts.of(id))) return;
  if (change.what === 'delete') facts.pipeline(id, { deleted: true });
  else if (change.what === 'update') facts.pipeline(id, { name: String(facts.position) });
  else facts.pipeline(id, { enabled: change.what === 'enable' });
};

const histories: fc.Arbitrary<Facts> = fc
  .array(changes, { minLength: 20, maxLength: 80 })
  .map((list) => {
    const facts = new Facts();
    for (const id of CONNECTIONS) facts.connection(id);
    for (const change of list)
      if ('source' in change) changeLinks(facts, change);
      else if ('connection' in change) changeConnection(facts, change);
      else changePipeline(facts, change);
    return facts;
  });

/** The model: computes the routes from all facts up to the position. */
const modelRoutes = ({ records }: Facts, source: ConnectionId, position: number) => {
  const states = new Map<string, ConfigurationState>();
  for (const record of records.slice(0, position))
    states.set((record.state as ConnectionState | SendingPipelineState).id, record.state);
  const from = states.get(source) as ConnectionState | undefined;
  const pipelines = [...states.values()].filter(
    (each): each is SendingPipelineState => each.kind === 'pipeline' && !each.deleted,
  );
  pipelines.sort((a, b) => (a.id < b.id ? -1 : 1));
  const lanes = isThere(from) ? [...(from?.links ?? []), source] : [];
  return lanes.flatMap((lane) => {
    const own = pipelines.filter(({ connection }) => connection === lane);
    if (!isThere(states.get(lane)) || own.length === 0) return [];
    return {
      lane: lane === source ? warehouseOf(WORKSPACE) : lane,
      pipelines: own.filter((each) => each.enabled).map((each) => `${each.id}@${each.version}`),
      disabled: own.filter((each) => !each.enabled).map((each) => each.id),
    };
  });
};

const places = fc.array(fc.tuple(fc.constantFrom(...SOURCES), fc.nat(120)), { maxLength: 40 });

const expectEverywhere = async (stand: RoutesStand, facts: Facts, from = 0): Promise<void> => {
  for (const source of SOURCES)
    for (let seen = from; seen <= facts.position; seen += 1)
      expect(shown(await stand.at(source, seen))).toEqual(modelRoutes(facts, source, seen));
};

it('routes at every position as the model does, when it has applied all facts', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (facts) => {
      const stand = new RoutesStand(facts);
      await expectEverywhere(stand, facts);
      expect(stand.history.asked).toEqual([]);
    }),
  );
});

it('does so while the configuration is being changed, at any position', async () => {
  await fc.assert(
    fc.asyncProperty(histories, places, async (facts, looks) => {
      const stand = new RoutesStand(facts, []);
      const follow = (records: readonly StateRecord[]): void => {
        for (const record of records) stand.replica.apply(record);
      };
      const step = Math.ceil(facts.position / (looks.length + 1));
      for (const [index, [source, place]] of looks.entries()) {
        follow(facts.records.slice(index * step, (index + 1) * step));
        if (stand.replica.seen === 0) continue;
        const seen = place % (stand.replica.seen + 1);
        expect(shown(await stand.at(source, seen))).toEqual(modelRoutes(facts, source, seen));
        const { seen: now } = stand.replica;
        expect(shown(await stand.at(source, now))).toEqual(modelRoutes(facts, source, now));
      }
      follow(facts.records);
      await expectEverywhere(stand, facts);
    }),
  );
});

it('does so when it began with a compacted topic and loads the missing history', async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.nat(120), fc.nat(120), async (facts, start, kept) => {
      const begin = start % (facts.position + 1);
      const stand = new RoutesStand(facts, facts.compacted(begin));
      for (const record of facts.records.slice(begin)) stand.replica.apply(record);
      await expectEverywhere(stand, facts, Math.min(kept, facts.position));
      stand.replica.forgetBefore(kept % (facts.position + 1));
      await expectEverywhere(stand, facts);
    }),
  );
});

it('does so when the topic was compacted while it was being read', async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.nat(120), places, async (facts, lag, looks) => {
      const read = lag % (facts.position + 1);
      const stand = new RoutesStand(facts, facts.records.slice(0, read));
      for (const [source, place] of looks) {
        const seen = place % (read + 1);
        expect(shown(await stand.at(source, seen))).toEqual(modelRoutes(facts, source, seen));
      }
      for (const record of facts.compacted(facts.position))
        if (record.position > read) stand.replica.apply(record);
      await expectEverywhere(stand, facts);
    }),
  );
});

it('returns the same object for neighbouring positions exactly when their routes are equal', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (facts) => {
      const stand = new RoutesStand(facts);
      for (const source of SOURCES)
        for (let seen = 1; seen <= facts.position; seen += 1) {
          const [before, here] = [await stand.at(source, seen - 1), await stand.at(source, seen)];
          if (before === here) expect(shown(here)).toEqual(modelRoutes(facts, source, seen));
          else expect(isChangedAt(facts, source, seen)).toBe(true);
        }
    }),
  );
});

/** Whether the fact at the position concerns the source, a linked destination, or a pipeline of one. */
const isChangedAt = ({ records }: Facts, source: ConnectionId, position: number): boolean => {
  const links = (upTo: number): readonly ConnectionId[] => {
    const found = records
      .slice(0, upTo)
      .findLast(({ state }) => state.kind === 'connection' && state.id === source);
    return (found?.state as ConnectionState | undefined)?.links ?? [];
  };
  const state = records[position - 1]?.state as ConnectionState | SendingPipelineState;
  if (state.kind === 'pipeline') return [source, ...links(position)].includes(state.connection);
  const before = records
    .slice(0, position - 1)
    .findLast((each) => 'id' in each.state && each.state.id === state.id)?.state as
    | ConnectionState
    | undefined;
  const isAlike =
    before !== undefined &&
    before.deleted === state.deleted &&
    before.links.join() === state.links.join();
  return !isAlike && (state.id === source || links(position).includes(state.id));
};
