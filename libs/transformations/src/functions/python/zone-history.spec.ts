import { zoneHistory, type ZonePeriod } from './zone-history';

const ZONES = [
  'Africa/Casablanca',
  'Africa/Monrovia',
  'America/Caracas',
  'America/New_York',
  'America/Sao_Paulo',
  'America/St_Johns',
  'Antarctica/Troll',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Europe/London',
  'Europe/Rome',
  'Pacific/Apia',
  'UTC',
];

const HOUR_SECONDS = 3600;
const between = (first: number, last: number, stepSeconds: number): number[] =>
  Array.from(
    { length: Math.floor((last - first) / stepSeconds) },
    (_, i) => first + i * stepSeconds,
  );

/** Times 101 hours apart, and the seconds around each change. */
const instantsOf = (periods: readonly ZonePeriod[]): number[] => [
  ...between(Date.UTC(1900, 0, 2) / 1000, Date.UTC(2099, 11, 31) / 1000, 101 * HOUR_SECONDS),
  ...periods.slice(1).flatMap(({ startSeconds }) => [startSeconds - 1, startSeconds]),
];

/** Returns a function for the local time, read as if it were UTC. */
const wallClock = (timeZone: string): ((seconds: number) => number) => {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return (seconds) => Date.parse(`${format.format(seconds * 1000).replace(' ', 'T')}Z`) / 1000;
};

it.each(ZONES)('agrees with the clock of %s from 1900 to 2100', (timeZone) => {
  const periods = zoneHistory(timeZone);
  const clock = wallClock(timeZone);
  const wrong = instantsOf(periods).filter((seconds) => {
    const period = periods.findLast(({ startSeconds }) => startSeconds <= seconds);
    return clock(seconds) !== seconds + (period?.offsetSeconds ?? NaN);
  });
  expect(wrong).toEqual([]);
});

it.each([
  ['Europe/Rome', '2024-07-01T00:00:00Z', 7200, true, 'CEST'],
  ['Europe/Rome', '2024-03-31T00:59:59Z', 3600, false, 'CET'],
  ['Europe/Rome', '2024-03-31T01:00:00Z', 7200, true, 'CEST'],
  ['America/New_York', '2024-01-01T00:00:00Z', -18_000, false, 'EST'],
  ['Australia/Sydney', '2024-01-01T00:00:00Z', 39_600, true, 'AEDT'],
  ['Asia/Kolkata', '2024-01-01T00:00:00Z', 19_800, false, 'IST'],
  ['Asia/Kathmandu', '2024-01-01T00:00:00Z', 20_700, false, '+0545'],
  ['America/Sao_Paulo', '2018-01-01T00:00:00Z', -7200, true, '-02'],
  ['America/Sao_Paulo', '2024-01-01T00:00:00Z', -10_800, false, '-03'],
  ['UTC', '2024-01-01T00:00:00Z', 0, false, 'UTC'],
])('%s at %s', (timeZone, moment, offsetSeconds, isDaylightSaving, abbreviation) => {
  const seconds = Date.parse(moment) / 1000;
  expect(zoneHistory(timeZone).findLast(({ startSeconds }) => startSeconds <= seconds)).toEqual({
    startSeconds: expect.any(Number) as number,
    offsetSeconds,
    isDaylightSaving,
    abbreviation,
  });
});

it('refuses an unknown zone', () => {
  expect(() => zoneHistory('Europe/Atlantis')).toThrow(RangeError);
});
