import type { PipelineId } from '@penstock/contracts';
import * as fc from 'fast-check';
import type { EndState, OutcomeRecord } from './changes';
import { packOutcomes, unpackOutcomes } from './packed-outcomes';

const outcome: fc.Arbitrary<OutcomeRecord> = fc.record({
  offset: fc.integer({ min: -(2 ** 51), max: 2 ** 51 }),
  pipeline: fc.constantFrom('one', 'two') as fc.Arbitrary<PipelineId>,
  version: fc.integer({ min: 1, max: 3 }),
  state: fc.constantFrom<EndState>('Delivered', 'Filtered', 'Rejected', 'Parked', 'Duplicate'),
  code: fc.constantFrom('', '404', 'Deleted', 'a|b'),
  attempts: fc.nat(100),
  atMs: fc.nat(2 ** 41),
  status: fc.constantFrom(0, 200, 404),
  made: fc.constantFrom('', '', 'aB3_-90xYz1', 'Transformation'),
});

it('unpacks what it packed', () => {
  fc.assert(
    fc.property(fc.array(outcome), (outcomes) => {
      expect(unpackOutcomes(packOutcomes(outcomes))).toEqual(outcomes);
    }),
  );
});

it('unpacks a row of a version that did not record what functions have made', () => {
  const row = '[7,1000,["one@2"],[["Delivered",""]],[0,0,0,1,0,200,1,0,0,2,5,0]]';
  expect(unpackOutcomes(row)).toMatchObject([
    { offset: 7, attempts: 1, status: 200, made: '' },
    { offset: 8, attempts: 2, atMs: 1_005, made: '' },
  ]);
});

it('writes nothing about functions where there are none', () => {
  const delivered = {
    offset: 7,
    pipeline: 'one' as PipelineId,
    version: 2,
    state: 'Delivered',
  } as const;
  const row = packOutcomes([
    { ...delivered, code: '', attempts: 1, atMs: 1, status: 200, made: '' },
  ]);
  expect(JSON.parse(row)).toHaveLength(5);
});
