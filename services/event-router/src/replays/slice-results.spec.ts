import { newRecord, type RecordValue } from '@penstock/schema';
import { compilePipeline } from '../routing/compiled-pipeline';
import { IncomingEvent } from '../routing/incoming-event';
import { pipelineState, WORKSPACE } from '../testing/pipelines.fixture';
import type { ReplayResult } from './replay-result';
import type { ShadowedEvent } from './shadow';
import { MAX_EXAMPLES, MAX_VALUES, noCounts, noExamples, SliceResults } from './slice-results';

const PIPELINE = compilePipeline(
  pipelineState({
    transformation: { mapping: { text: 'event' }, function: null },
    outSchema: JSON.stringify({
      kind: 'object',
      properties: [{ name: 'text', type: { kind: 'string' }, createRequired: true }],
    }),
  }),
);

const made = (text: string): ReplayResult => {
  const values: RecordValue = Object.assign(newRecord(), { text });
  return { kind: 'made', digest: text.slice(0, 11), values };
};

const incoming = new IncomingEvent(
  { key: 'k', value: '', partition: 0, offset: 0, timestampMs: 0 },
  {
    workspace: WORKSPACE,
    source: 'source000000001' as never,
    messageId: 'm',
    seen: 1,
    integrations: null,
    digest: 'aaaaaaaaaaaaaaaa',
    eventText: '{}',
  },
);

const shadowed = (before: ReplayResult, now: ReplayResult): ShadowedEvent => {
  return { incoming, before, routed: PIPELINE, now };
};

/** A text whose JSON, as the value of a record, has so many characters. */
const ofLength = (length: number): string => 'x'.repeat(length - '{"text":""}'.length);

it('keeps values up to their limit, and only the digest of longer ones', () => {
  const results = new SliceResults(noCounts(), noExamples());
  const [short, long] = [ofLength(MAX_VALUES), ofLength(MAX_VALUES + 1)];
  results.add(shadowed(made(`y${short.slice(1)}`), made(short)), PIPELINE);
  results.add(shadowed(made('y'), made(long)), PIPELINE);
  expect(results.differences.map(({ now }) => now?.values?.length)).toEqual([
    MAX_VALUES,
    undefined,
  ]);
  expect(results.differences[1]?.now).toMatchObject({ values: null, digest: 'xxxxxxxxxxx' });
});

it('keeps examples of each kind up to their limit over all slices, and counts all', () => {
  let results = new SliceResults(noCounts(), noExamples());
  let kept = 0;
  for (let event = 0; event <= MAX_EXAMPLES; event += 1) {
    results = new SliceResults(results.counts, results.kept);
    results.add(shadowed(made('y'), made('x')), PIPELINE);
    kept += results.differences.length;
    if (event === MAX_EXAMPLES - 1) expect(kept).toBe(MAX_EXAMPLES);
  }
  expect(kept).toBe(MAX_EXAMPLES);
  results.add(shadowed({ kind: 'unmatched' }, made('x')), PIPELINE);
  expect(results.differences.map(({ kind }) => kind)).toEqual(['OnlyNow']);
  expect(results.counts).toMatchObject({ events: MAX_EXAMPLES + 2, different: MAX_EXAMPLES + 1 });
});

it('changes nothing of the counts that it begins with', () => {
  const [counts, kept] = [noCounts(), noExamples()];
  const results = new SliceResults(counts, kept);
  results.add(shadowed(made('y'), made('x')), PIPELINE);
  expect([counts, kept]).toEqual([noCounts(), noExamples()]);
});
