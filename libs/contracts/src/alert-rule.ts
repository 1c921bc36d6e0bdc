import { ALERT_WINDOWS, type AlertKind } from './alert.facts';
import type { RefusalDetail } from './refusals';

/** Most alerts of a workspace. */
export const MAX_ALERTS = 50;

/** Most seconds that an alert of kind `lag` may have as its threshold: a week. */
export const MAX_ALERT_LAG_SECONDS = 604_800;

/** Most of the threshold of each kind, at least 1; absent: the kind has no threshold. */
const MAX_THRESHOLD: Readonly<Partial<Record<AlertKind, number>>> = {
  deadLetterRate: 100,
  lag: MAX_ALERT_LAG_SECONDS,
};

const thresholdProblem = (kind: AlertKind, threshold: number | null): string | undefined => {
  const most = MAX_THRESHOLD[kind];
  if (most === undefined)
    return threshold === null ? undefined : `must be null: an alert of kind ${kind} has none`;
  if (threshold !== null && threshold >= 1 && threshold <= most) return undefined;
  const unit = kind === 'lag' ? 'seconds' : 'percent';
  return `must be an integer from 1 to ${String(most)}: an alert of kind ${kind} needs it, in ${unit}`;
};

const windowProblem = (kind: AlertKind, window: number | null): string | undefined => {
  if (kind !== 'deadLetterRate')
    return window === null ? undefined : `must be null: an alert of kind ${kind} has none`;
  return ALERT_WINDOWS.some((minutes) => minutes === window)
    ? undefined
    : `must be ${ALERT_WINDOWS.join(' or ')} (minutes)`;
};

/** The condition of an alert as somebody gives it, before it is checked. */
export type AlertConditionGiven = Readonly<Record<'connection' | 'pipeline', string | null>> &
  Readonly<Record<'threshold' | 'window', number | null>>;

/** What is wrong with the condition of an alert of this kind, with the places in the request; empty: nothing. */
export const alertProblems = (
  kind: AlertKind,
  { connection, pipeline, threshold, window }: AlertConditionGiven,
): readonly RefusalDetail[] => {
  const both = connection !== null && pipeline !== null;
  const problems = [
    ['/pipeline', both ? 'must be null where a connection is given' : undefined],
    ['/threshold', thresholdProblem(kind, threshold)],
    ['/window', windowProblem(kind, window)],
  ] as const;
  return problems.flatMap(([path, message]) => (message === undefined ? [] : [{ path, message }]));
};
