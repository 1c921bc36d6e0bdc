import {
  type ConnectionId,
  ConfigurationReplica,
  type SendingPipelineState,
  Suppressions,
  writeAcceptedEvent,
} from '@penstock/contracts';
import fc from 'fast-check';
import { compilePipeline } from '../routing/compiled-pipeline';
import { type Incoming, readIncoming } from '../routing/incoming';
import type { LaneRoutes } from '../routing/lane-routes';
import type { Stamped } from '../routing/routes';
import { SourceRoutes } from '../routing/source-routes';
import { DESTINATION, onlyEvent, pipelineState, WORKSPACE } from '../testing/pipelines.fixture';
import { SystemClock } from '../time/clock';
import type { LeasedReplay } from './replay-job';
import { RepeatedIds } from './repeated-ids';
import { replayedPipeline } from './replayed-pipeline';
import { Shadow } from './shadow';
import { noCounts, noExamples, SliceResults } from './slice-results';

const SOURCE = 'source000000001' as ConnectionId;
const NAMES = ['A', 'B', 'C'];
/** Expressions, with what they give for an event; undefined: a text that the schema does not allow. */
const EXPRESSIONS: Readonly<Record<string, (sent: Sent) => string | undefined>> = {
  event: ({ name }) => (name === 'C' ? undefined : name),
  anonymousId: ({ user }) => user,
  '"A"': () => 'A',
};
const ALLOWED = ['A', 'B', 'x', 'y'];

interface Sent {
  readonly name: string;
  readonly user: string;
  readonly id: number;
}

interface Definition {
  readonly expression: string;
  /** Name of the events that it matches; `null`: all. */
  readonly only: string | null;
}

const definition = fc.record({
  expression: fc.constantFrom(...Object.keys(EXPRESSIONS)),
  only: fc.constantFrom(null, ...NAMES),
});

const sent = fc.record({
  name: fc.constantFrom(...NAMES),
  user: fc.constantFrom('x', 'y'),
  id: fc.integer({ min: 0, max: 30 }),
});

const stateOf = ({ expression, only }: Definition, version: number): SendingPipelineState =>
  pipelineState({
    version,
    filter: only === null ? null : onlyEvent(only),
    transformation: { mapping: { text: expression }, function: null },
    outSchema: JSON.stringify({
      kind: 'object',
      properties: [
        { name: 'text', type: { kind: 'string', values: ALLOWED }, createRequired: true },
      ],
    }),
  });

const incoming = ({ name, user, id }: Sent, offset: number): Incoming => {
  const time = '2026-03-01T09:30:00.000Z';
  const event = {
    ...{ connectionId: SOURCE, anonymousId: user, event: name, messageId: `id ${String(id)}` },
    ...{ properties: {}, receivedAt: time, sentAt: time, originalTimestamp: time, timestamp: time },
    ...{ traits: {}, type: 'track' },
  };
  const value = writeAcceptedEvent({
    workspace: WORKSPACE,
    source: SOURCE,
    messageId: event.messageId,
    seen: 1,
    integrations: null,
    digest: 'aaaaaaaaaaaaaaaa',
    eventText: JSON.stringify(event),
  });
  return readIncoming({ key: user, value, partition: 0, offset, timestampMs: 0 });
};

const routesOf = (state: SendingPipelineState): SourceRoutes => {
  const lane: LaneRoutes = {
    lane: DESTINATION,
    workspace: WORKSPACE,
    connector: 'http',
    label: 'HTTP',
    pipelines: [compilePipeline(state)],
    disabled: [],
  };
  return new SourceRoutes(SOURCE, [lane]);
};

const REPLAY: LeasedReplay = {
  id: 'job000000000001' as LeasedReplay['id'],
  epoch: 1,
  workspace: WORKSPACE,
  pipeline: pipelineState().id,
  request: {
    mode: 'shadow',
    from: '2026-03-01T00:00:00.000Z' as never,
    to: '2026-03-02T00:00:00.000Z' as never,
    filter: null,
    version: 1,
    draft: null,
    ordering: 'key',
    sources: [SOURCE],
  },
  parts: [],
  positions: [],
  revision: 0,
  counts: noCounts(),
  kept: noExamples(),
};

/** Prepares up to three at a time. */
const someOf = ({ length }: readonly Stamped[]): Promise<number> =>
  Promise.resolve(Math.min(length, 3));

/** Replays the events in slices of random lengths. */
const replayed = async (
  events: readonly Sent[],
  before: SendingPipelineState,
  now: SendingPipelineState,
  lengths: readonly number[],
): Promise<SliceResults> => {
  const routes = routesOf(before);
  const pipeline = replayedPipeline(REPLAY, before, compilePipeline(now));
  const shadow = new Shadow(
    {
      clock: new SystemClock(),
      routes: { prepare: someOf, at: () => routes },
      suppressions: new Suppressions(new ConfigurationReplica(), (text) => text),
      functions: {
        run: () => Promise.reject(new Error('there is no function')),
        circuitOf: () => 'closed',
      },
      recorded: { of: () => Promise.reject(new Error('mappings need no record')) },
      liveLagMs: () => 0,
      backoff: { backoffBaseMs: 1, backoffCapMs: 1 },
      onError: () => undefined,
    },
    pipeline,
  );
  const records = events.map(incoming);
  const ids = new RepeatedIds(0);
  let results = new SliceResults(noCounts(), noExamples());
  for (let at = 0, slice = 0; at < records.length; slice += 1) {
    const end = at + (lengths[slice % lengths.length] ?? 1);
    results = new SliceResults(results.counts, results.kept);
    const { signal } = new AbortController();
    const passed = await shadow.pass(records.slice(at, end), ids, results.counts, signal);
    for (const each of passed) results.add(each, pipeline.compiled);
    at = end;
  }
  return results;
};

/** What a definition gives for an event: `null`: not matched; undefined: rejected, since its text is not allowed. */
const given = ({ expression, only }: Definition, event: Sent): string | null | undefined =>
  only !== null && only !== event.name ? null : EXPRESSIONS[expression]?.(event);

const expected = (events: readonly Sent[], before: Definition, now: Definition) => {
  const counts = { ...noCounts(), rejectedByOutput: 0 };
  const seen = new Set<string>();
  for (const event of events) {
    const name = `${event.user}/${String(event.id)}`;
    if (seen.has(name)) counts.duplicates += 1;
    else {
      seen.add(name);
      const [was, is] = [given(before, event), given(now, event)];
      counts.events += 1;
      if (is !== null) counts.matched += 1;
      if (is === undefined) {
        counts.rejected += 1;
        counts.rejectedByOutput += 1;
      }
      if (typeof was === 'string' && typeof is === 'string')
        counts[was === is ? 'same' : 'different'] += 1;
      else if (typeof was === 'string') counts.onlyBefore += 1;
      else if (typeof is === 'string') counts.onlyNow += 1;
      else counts[was === undefined && is === undefined ? 'same' : 'neither'] += 1;
    }
  }
  return counts;
};

const events = fc.array(sent, { maxLength: 40 });
const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

it('gives the same for the version that the events were routed by', async () => {
  await fc.assert(
    fc.asyncProperty(events, definition, lengths, async (sentEvents, same, slices) => {
      const state = stateOf(same, 1);
      const { counts } = await replayed(sentEvents, state, state, slices);
      expect(counts).toEqual(expected(sentEvents, same, same));
      expect(counts.same + counts.neither).toBe(counts.events);
    }),
    { numRuns: 200 },
  );
});

it('counts of two versions what an independent computation says', async () => {
  await fc.assert(
    fc.asyncProperty(
      events,
      definition,
      definition,
      lengths,
      async (sentEvents, one, other, slices) => {
        const results = await replayed(sentEvents, stateOf(one, 1), stateOf(other, 2), slices);
        expect(results.counts).toEqual(expected(sentEvents, one, other));
      },
    ),
    { numRuns: 300 },
  );
});
