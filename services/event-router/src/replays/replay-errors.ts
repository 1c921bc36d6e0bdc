import {
  MAX_ERROR_SAMPLES,
  MAX_RUN_ERRORS,
  OTHER_ERRORS,
  RUN_STEPS,
  type RunErrorGroup,
  type RunStep,
} from '@penstock/contracts';
import { shortReason, WITHOUT_VALUES } from '../outcomes/short-reason';
import type { StepNumbers } from './replay-steps';

/** Characters of a message, or of the id of an event, that are told. */
const MAX_MESSAGE_LENGTH = 200;
const MAX_SAMPLE_LENGTH = 256;

/** Rejected and parked deliveries that a replay has kept, with one reason. */
export interface FailureGroup {
  readonly step: RunStep;
  readonly code: string;
  /** Its part that quotes nothing. */
  readonly reason: string;
  readonly count: number;
  /** Ids of some of the events. */
  readonly samples: readonly string[];
}

/**
 * Groups the failures that replays have kept: in each step those that came first. Reasons are without what may quote values.
 */
export const FAILURE_GROUPS = `
SELECT step, code, reason, count, samples FROM (
  SELECT g.*, row_number() OVER (PARTITION BY step ORDER BY first, code, reason) AS place FROM (
    SELECT step, code, CASE WHEN step IN (${Object.keys(WITHOUT_VALUES)
      .map((step) => `'${step}'`)
      .join(', ')}) THEN ''
                            ELSE split_part(reason, ': ', 1) END AS reason,
           count(*)::int AS count, min(at) AS first,
           (array_agg(message_id ORDER BY at, partition, "offset"))[1:${String(MAX_ERROR_SAMPLES)}] AS samples
      FROM penstock_router.replay_failures WHERE job = $1 GROUP BY 1, 2, 3) g) placed
 WHERE place <= ${String(MAX_RUN_ERRORS)} ORDER BY step, place`;

/** Why records of the window were no events of the replay, by what it counts them as. */
const NOT_RECEIVED = {
  duplicates: { code: 'Duplicate', message: 'the event repeats another one' },
  unreadable: { code: 'Unreadable', message: 'the record cannot be read' },
  expired: { code: 'Expired', message: 'retention has removed the record before it was read' },
} as const;

const notReceived = (counts: Readonly<Record<string, number>>): RunErrorGroup[] =>
  Object.entries(NOT_RECEIVED).flatMap(([name, why]) => {
    const count = counts[name] ?? 0;
    return count === 0 ? [] : [{ ...why, step: 'Receive', count, samples: [] } as const];
  });

/** What was rejected and is in no group: of a replay in mode `shadow`, which keeps no reasons, and beyond what is kept. */
const restOf = (step: RunStep, count: number, isKept: boolean): RunErrorGroup => {
  const message = WITHOUT_VALUES[step];
  const why = isKept || message === undefined ? OTHER_ERRORS : { code: 'Rejected', message };
  return { ...why, step, count, samples: [] };
};

/**
 * Why events of a replay have failed. The numbers of each step are what has failed there; a filter gives no reasons.
 *
 * @param counts of the replay, by name.
 * @param groups of the failures that it has kept; `null`: it keeps none.
 */
export const replayErrors = (
  counts: Readonly<Record<string, number>>,
  { failed }: StepNumbers,
  groups: readonly FailureGroup[] | null,
): RunErrorGroup[] => {
  const found = (groups ?? []).map(({ step, code, reason, count, samples }) => ({
    ...{ step, code, count, message: shortReason(step, reason).slice(0, MAX_MESSAGE_LENGTH) },
    samples: samples.map((id) => id.slice(0, MAX_SAMPLE_LENGTH)),
  }));
  const rest = RUN_STEPS.flatMap((step, index) => {
    if (step === 'Receive' || step === 'Filter') return [];
    const known = found.filter((each) => each.step === step);
    const count = (failed[index] ?? 0) - known.reduce((sum, each) => sum + each.count, 0);
    return count > 0 ? [restOf(step, count, groups !== null)] : [];
  });
  return [...notReceived(counts), ...found, ...rest];
};
