import { RUN_STEPS, type RunStep, type StepCounts } from '@penstock/contracts';
import type { Counts } from './replay-job';

/** Numbers of events by the step that they did not pass; a step without a member has failed none. */
type FailedSteps = Readonly<Partial<Record<RunStep, number>>>;

/** How many events have passed and failed each step, in the order of the steps. */
export interface StepNumbers {
  readonly passed: StepCounts;
  readonly failed: StepCounts;
}

/** @param delivered events that have passed every step; `null`: there is no last step, which stays 0. */
const stepNumbers = (failed: FailedSteps, delivered: number, hasLast: boolean): StepNumbers => {
  const failures = RUN_STEPS.map((step) => failed[step] ?? 0);
  const passed = RUN_STEPS.map(
    (_, step) => delivered + failures.slice(step + 1).reduce((sum, count) => sum + count, 0),
  );
  return hasLast ? { passed, failed: failures } : { passed: passed.with(-1, 0), failed: failures };
};

/** Of a replay in mode `shadow`, which has no last step: it sends nothing. */
export const shadowSteps = (counts: Counts): StepNumbers => {
  const { matched, rejected, rejectedByOutput = 0 } = counts;
  const failed = {
    Receive: counts.duplicates + counts.unreadable + counts.expired,
    Filter: counts.suppressed + counts.events - matched,
    Transformation: rejected - rejectedByOutput,
    OutputValidation: rejectedByOutput,
  };
  return stepNumbers(failed, matched - rejected, false);
};

/**
 * Of a replay that delivers: what has ended. What is open, or was left when it was cancelled, is counted nowhere.
 *
 * @param counts by name; one that is absent is 0.
 */
export const deliverySteps = (counts: Readonly<Record<string, number>>): StepNumbers => {
  const of = (name: string): number => counts[name] ?? 0;
  const earlier = {
    InputValidation: of('InputValidation'),
    Transformation: of('Transformation'),
    OutputValidation: of('OutputValidation'),
  };
  const before = Object.values(earlier).reduce((sum, count) => sum + count, 0);
  const failed = {
    ...earlier,
    Receive: of('duplicates') + of('unreadable') + of('expired'),
    Filter: of('filtered') + of('suppressed'),
    Finalize: of('rejected') + of('parked') - before,
  };
  return stepNumbers(failed, of('delivered'), true);
};
