import fc from 'fast-check';
import { microsecondsOf, microtimeOf } from './microtime';

const DAY_US = 86_400_000_000n;

/** Of the years 1 to 9999. */
const moment = fc.bigInt({ min: -62_135_596_800_000_000n, max: 253_402_300_799_999_999n });

/** The day by `Date`, the rest by digits. */
const textOf = (us: bigint): string => {
  const ofDay = ((us % DAY_US) + DAY_US) % DAY_US;
  const day = new Date(Number((us - ofDay) / 1_000n)).toISOString().slice(0, 10);
  const two = (value: bigint): string => String(value).padStart(2, '0');
  const seconds = ofDay / 1_000_000n;
  const clock = [seconds / 3_600n, (seconds / 60n) % 60n, seconds % 60n].map(two).join(':');
  return `${day}T${clock}.${String(ofDay % 1_000_000n).padStart(6, '0')}Z`;
};

it('counts the microseconds of every moment', () => {
  fc.assert(
    fc.property(moment, (us) => {
      expect(microsecondsOf(textOf(us))).toBe(us);
    }),
    { examples: [[-1n], [9_007_199_254_740_991n], [9_007_199_254_740_993n]] },
  );
});

it.each([
  ['2024-02-29T10:11:12Z', '2024-02-29T10:11:12.000000Z'],
  ['2024-02-29T10:11:12.123Z', '2024-02-29T10:11:12.123000Z'],
  ['2024-02-29T10:11:12.123456Z', '2024-02-29T10:11:12.123456Z'],
  ['2024-02-29T10:11:12.123456999Z', '2024-02-29T10:11:12.123456Z'],
])('%s is %s', (datetime, time) => {
  expect(microtimeOf(datetime)).toBe(time);
});
