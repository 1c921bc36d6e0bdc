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
});

it('unpacks what it packed', () => {
  fc.assert(
    fc.property(fc.array(outcome), (outcomes) => {
      expect(unpackOutcomes(packOutcomes(outcomes))).toEqual(outcomes);
    }),
  );
});
