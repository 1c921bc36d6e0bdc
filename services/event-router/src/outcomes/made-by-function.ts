import type { RecordValue } from '@penstock/schema';
import { RecordFailure } from '@penstock/transformations';
import type { Ending } from '../store/changes';
import { valuesDigest } from './values-digest';

/** The steps at which what a function makes is rejected. */
const STEPS: readonly string[] = ['InputValidation', 'Transformation', 'OutputValidation'];

/** Whether what was recorded is a step; else it is a digest, which is shorter than any of them. */
export const isStep = (made: string): boolean => STEPS.includes(made);

/**
 * What is recorded of the result of a function when its delivery ends: the digest of its values, or the step at which they
 * were rejected; empty: it has not run, or is not in memory any more.
 */
export const madeByFunction = (
  eventType: string,
  values: RecordValue | RecordFailure | null | undefined,
  { state, step }: Pick<Ending, 'state' | 'step'>,
): string => {
  if (state === 'Rejected' && isStep(step)) return step;
  if (values === undefined || values === null || values instanceof RecordFailure) return '';
  return valuesDigest(eventType, values);
};
