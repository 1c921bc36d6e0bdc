import fc from 'fast-check';
import { type Instant, instant } from './ids';
import { SCHEDULE_PERIODS } from './schedule-period';
import { minutesOf, nextSlot, slotAfter, slotUpTo } from './slots';

const schedules = fc.constantFrom(...SCHEDULE_PERIODS).chain((period) =>
  fc.record({
    period: fc.constant(period),
    start: fc.integer({ min: 0, max: minutesOf(period) - 1 }),
  }),
);

const moments = fc
  .integer({ min: Date.UTC(1999, 0), max: Date.UTC(2060, 0) })
  .map((ms) => instant(new Date(ms)));

const minuteOfDay = (at: Instant): number => {
  const date = new Date(at);
  return date.getUTCHours() * 60 + date.getUTCMinutes();
};

it('has its slots in the minutes of the UTC day that leave the start as the rest, and in no others', () => {
  fc.assert(
    fc.property(schedules, moments, (schedule, moment) => {
      const slot = slotUpTo(schedule, moment);
      const next = slotAfter(schedule, moment);
      const minutes = minutesOf(schedule.period);
      expect(minuteOfDay(slot) % minutes).toBe(schedule.start);
      expect(slot.endsWith(':00.000Z')).toBe(true);
      expect(slot <= moment && moment < next).toBe(true);
      expect(Date.parse(next) - Date.parse(slot)).toBe(minutes * 60_000);
      expect(slotUpTo(schedule, slot)).toBe(slot);
      expect(slotAfter(schedule, slot)).toBe(next);
    }),
    { numRuns: 1_000 },
  );
});

it('does not depend on the time zone of the host', () => {
  const schedule = { period: '24h', start: 90 } as const;
  expect(slotAfter(schedule, '2026-03-29T01:30:00.000Z' as Instant)).toBe(
    '2026-03-30T01:30:00.000Z',
  );
});

describe('the next slot', () => {
  const schedule = { period: '1h', start: 17 } as const;
  const scheduledAt = '2026-03-01T09:30:00.000Z' as Instant;

  it('is the first after the schedule was set', () => {
    expect(nextSlot({ schedule, scheduledAt, lastSlot: null })).toBe('2026-03-01T10:17:00.000Z');
    const lastSlot = '2026-03-01T09:17:00.000Z' as Instant;
    expect(nextSlot({ schedule, scheduledAt, lastSlot })).toBe('2026-03-01T10:17:00.000Z');
  });

  it('is the first after the newest that was decided', () => {
    const lastSlot = '2026-03-01T12:17:00.000Z' as Instant;
    expect(nextSlot({ schedule, scheduledAt, lastSlot })).toBe('2026-03-01T13:17:00.000Z');
  });

  it('does not exist without a schedule', () => {
    expect(nextSlot({ schedule: null, scheduledAt, lastSlot: null })).toBeNull();
  });
});
