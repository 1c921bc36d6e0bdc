import { STEP_SIZES } from '@penstock/contracts';

const MINUTE_MS = STEP_SIZES.minute.ms;
/** In minutes. */
const HOUR = STEP_SIZES.hour.ms / MINUTE_MS;
const DAY = STEP_SIZES.day.ms / MINUTE_MS;
const MINUTES_KEPT = STEP_SIZES.minute.keptMs / MINUTE_MS;
const HOURS_KEPT = STEP_SIZES.hour.keptMs / MINUTE_MS;

/**
 * After this many minutes nobody is expected to add to a minute any more, so that its counts of all partitions become one.
 * What is added later all the same is merged like the rest.
 */
const WRITTEN = 5;

/** A step of the roll-up: rows of one tier are merged into longer periods, which are the next tier. */
export interface RollUpStep {
  /**
   * 0: as commits write them, by minute and partition; -1: by minute; -2: by hour; the days are -3. The column `partition` holds
   * the tier of a row that is not 0, so that commits never write to a row that was merged.
   */
  readonly tier: 0 | -1 | -2;
  /** Minutes of a period of the next tier. */
  readonly span: number;
  /** Rows of earlier minutes are due. @param now minutes since 1970. */
  readonly before: (now: number) => number;
}

/** Whole periods, kept for one more than is promised, since the clocks of the processes may differ. */
const wholeBefore =
  (kept: number, span: number): RollUpStep['before'] =>
  (now) =>
    (Math.floor((now - kept) / span) - 1) * span;

export const MERGE_PARTITIONS: RollUpStep = { tier: 0, span: 1, before: (now) => now - WRITTEN };

export const MERGE_MINUTES: RollUpStep = {
  tier: -1,
  span: HOUR,
  before: wholeBefore(MINUTES_KEPT, HOUR),
};

export const MERGE_HOURS: RollUpStep = {
  tier: -2,
  span: DAY,
  before: wholeBefore(HOURS_KEPT, DAY),
};
