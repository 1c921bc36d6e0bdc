import { HEALTH_CAUSES, type HealthCode, type NewHealth } from './health.facts';
import type { Instant } from './ids';
import type { HealthState } from './state';

/** Milliseconds for which a recorded status holds, before another can be recorded. */
export const HEALTH_HOLDS_MS = 30_000;
/** The same for the code, while the status stays. */
export const HEALTH_CODE_HOLDS_MS = 600_000;
/** Most changes of the health of one object that are recorded within an hour; the last of them is `Unstable`. */
export const MAX_HEALTH_CHANGES = 6;

const HOUR_MS = 3_600_000;

type Recorded = Pick<HealthState, 'status' | 'code' | 'changedAt'>;

/**
 * The code that is to be recorded when an object has been observed with the code; undefined: nothing is recorded.
 * Facts are kept for ever, so that a destination that fails and recovers all the time must not fill the log.
 *
 * @param before `null`: nothing was recorded yet, it is healthy.
 */
export const codeToRecord = (
  before: Recorded | null,
  code: HealthCode,
  now: Instant,
): HealthCode | undefined => {
  if (code === (before?.code ?? '')) return undefined;
  const ages = (before?.changedAt ?? []).map((at) => Date.parse(now) - Date.parse(at));
  const isSameStatus = HEALTH_CAUSES[code].status === (before?.status ?? 'Healthy');
  const holdsMs = isSameStatus ? HEALTH_CODE_HOLDS_MS : HEALTH_HOLDS_MS;
  if (ages.some((age) => age < holdsMs)) return undefined;
  const recent = ages.filter((age) => age < HOUR_MS).length;
  if (recent < MAX_HEALTH_CHANGES - 1) return code;
  return recent === MAX_HEALTH_CHANGES - 1 && before?.code !== 'Unstable' ? 'Unstable' : undefined;
};

/** The times of recorded changes that still count at the newest of them, oldest first. */
export const countedChanges = (
  before: readonly Instant[],
  { recordedAt }: Pick<NewHealth, 'recordedAt'>,
): readonly Instant[] => [...before, recordedAt].slice(-MAX_HEALTH_CHANGES);
