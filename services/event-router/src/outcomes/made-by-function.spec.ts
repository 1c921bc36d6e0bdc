import { RecordFailure } from '@penstock/transformations';
import { isStep, madeByFunction } from './made-by-function';
import { valuesDigest } from './values-digest';

const VALUES = { text: 'a' };
const DIGEST = valuesDigest('Bought', VALUES);
const FAILURE = new RecordFailure('OutputValidation', 'no text');

it.each([
  ['delivered', VALUES, { state: 'Delivered', step: 'Finalize' }, DIGEST],
  ['rejected by the destination', VALUES, { state: 'Rejected', step: 'Finalize' }, DIGEST],
  ['parked', VALUES, { state: 'Parked', step: 'Finalize' }, DIGEST],
  ['failed', undefined, { state: 'Rejected', step: 'Transformation' }, 'Transformation'],
  ['not allowed', FAILURE, { state: 'Rejected', step: 'OutputValidation' }, 'OutputValidation'],
  ['parked before it was run', undefined, { state: 'Parked', step: 'Finalize' }, ''],
  ['of a suppressed user', undefined, { state: 'Filtered', step: 'Filter' }, ''],
  ['parked after it has failed', FAILURE, { state: 'Parked', step: 'Finalize' }, ''],
] as const)('of a delivery that was %s', (_, values, ending, made) => {
  expect(madeByFunction('Bought', values, ending)).toBe(made);
});

it('tells steps from digests', () => {
  expect([isStep(DIGEST), isStep(''), isStep('OutputValidation')]).toEqual([false, false, true]);
});
