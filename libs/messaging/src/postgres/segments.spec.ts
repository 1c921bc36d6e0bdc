import { missingSegments, outlivedSegments } from './segments';

const HOUR_MS = 3_600_000;
const LENGTH_MS = HOUR_MS / 8;
/** A multiple of the length. */
const NOON_MS = 1_000 * LENGTH_MS;

it('covers the present and the next ten minutes, without a gap', () => {
  const missing = missingSegments([], HOUR_MS, NOON_MS + 1);
  expect(missing).toEqual([
    { fromMs: NOON_MS, toMs: NOON_MS + LENGTH_MS },
    { fromMs: NOON_MS + LENGTH_MS, toMs: NOON_MS + 2 * LENGTH_MS },
  ]);
});

it('adds nothing while the next ten minutes are covered', () => {
  const coveredUpTo = (toMs: number) => [{ fromMs: 0, toMs }];
  const toMs = NOON_MS + 600_001;
  expect(missingSegments(coveredUpTo(toMs), HOUR_MS, NOON_MS)).toEqual([]);
  expect(missingSegments(coveredUpTo(toMs - 1), HOUR_MS, NOON_MS)).toHaveLength(1);
});

it('continues where the last segment ends, also when the length has changed', () => {
  const [first] = missingSegments([{ fromMs: 0, toMs: NOON_MS + 7 }], 2 * HOUR_MS, NOON_MS);
  expect(first).toEqual({ fromMs: NOON_MS + 7, toMs: NOON_MS + 7 + 2 * LENGTH_MS });
});

it('begins at the present after a long pause', () => {
  const [first] = missingSegments([{ fromMs: 0, toMs: LENGTH_MS }], HOUR_MS, NOON_MS);
  expect(first?.fromMs).toBe(NOON_MS);
});

it('fills the gap before a future segment, when the clock was set back', () => {
  const future = { fromMs: NOON_MS + 7, toMs: NOON_MS + HOUR_MS };
  expect(missingSegments([future], HOUR_MS, NOON_MS)).toEqual([
    { fromMs: NOON_MS, toMs: NOON_MS + 7 },
  ]);
});

it('makes no segment shorter than a minute', () => {
  const [first] = missingSegments([], 1_000, 120_001);
  expect(first).toEqual({ fromMs: 120_000, toMs: 180_000 });
});

it('drops a segment when its last record is older than the retention', () => {
  const segment = { table: 't', fromMs: 0, toMs: 1_000 };
  expect(outlivedSegments([segment], HOUR_MS, HOUR_MS + 999)).toEqual([]);
  expect(outlivedSegments([segment], HOUR_MS, HOUR_MS + 1_000)).toEqual([segment]);
});
