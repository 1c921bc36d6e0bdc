import { type Instant, instant } from './ids';
import type { Schedule } from './run-control.facts';
import type { SchedulePeriod } from './schedule-period';

const MINUTE_MS = 60_000;

/** Every period divides the day, so that slots are at the same minutes of every day. */
const MINUTES: Readonly<Record<SchedulePeriod, number>> = {
  '5m': 5,
  '15m': 15,
  '30m': 30,
  '1h': 60,
  '2h': 120,
  '3h': 180,
  '6h': 360,
  '8h': 480,
  '12h': 720,
  '24h': 1_440,
};

/** The minutes of a period. */
export const minutesOf = (period: SchedulePeriod): number => MINUTES[period];

/** The newest slot of the schedule at or before the moment. */
export const slotUpTo = ({ period, start }: Schedule, moment: Instant): Instant => {
  const periodMs = MINUTES[period] * MINUTE_MS;
  const startMs = start * MINUTE_MS;
  const passed = Math.floor((Date.parse(moment) - startMs) / periodMs);
  return instant(new Date(passed * periodMs + startMs));
};

/** The first slot of the schedule after the moment. */
export const slotAfter = (schedule: Schedule, moment: Instant): Instant => {
  const before = Date.parse(slotUpTo(schedule, moment));
  return instant(new Date(before + MINUTES[schedule.period] * MINUTE_MS));
};

/** What the next slot of a pipeline depends on. */
interface Scheduled {
  readonly schedule: Schedule | null;
  readonly scheduledAt: Instant | null;
  readonly lastSlot: Instant | null;
}

/**
 * The first slot that has not been decided; in the past when the decision is due. `null`: it is not scheduled.
 *
 * Slots from before the schedule was set do not count.
 */
export const nextSlot = ({ schedule, scheduledAt, lastSlot }: Scheduled): Instant | null => {
  if (schedule === null || scheduledAt === null) return null;
  return slotAfter(schedule, lastSlot !== null && lastSlot > scheduledAt ? lastSlot : scheduledAt);
};
