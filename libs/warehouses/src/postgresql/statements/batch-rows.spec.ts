import fc from 'fast-check';
import { bytesOf, nextRows } from './batch-rows';

it('begins with one row, and has four times as many each time, up to a thousand', () => {
  const sizes = [0];
  for (let n = 0; n < 7; n += 1) sizes.push(nextRows(sizes.at(-1) ?? 0, 500));
  expect(sizes).toEqual([0, 1, 4, 16, 64, 256, 1_000, 1_000]);
});

it('takes no more than two mebibytes of rows like the largest, but one row', () => {
  fc.assert(
    fc.property(fc.nat(1_000), fc.nat(10_000_000), (before, largest) => {
      const rows = nextRows(before, largest);
      expect(rows).toBeGreaterThanOrEqual(1);
      expect(rows).toBeLessThanOrEqual(1_000);
      if (rows > 1) expect(rows * largest).toBeLessThanOrEqual(2_097_152);
    }),
  );
});

it('counts what a row takes beside its texts', () => {
  expect(bytesOf([])).toBe(256);
  expect(bytesOf(['abc', null])).toBe(256 + 2 * 64 + 6);
});
