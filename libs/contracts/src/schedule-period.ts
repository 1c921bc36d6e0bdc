/** Source: API document, "Limits". */
export const SCHEDULE_PERIODS = [
  '5m',
  '15m',
  '30m',
  '1h',
  '2h',
  '3h',
  '6h',
  '8h',
  '12h',
  '24h',
] as const;

/** How often a scheduled pipeline runs. */
export type SchedulePeriod = (typeof SCHEDULE_PERIODS)[number];
