import { backoffMs } from './backoff';

const limits = { backoffBaseMs: 1_000, backoffCapMs: 300_000 };
const least = (): number => 0;
const most = (): number => 1 - Number.EPSILON;

it.each([
  [1, 1, 999],
  [2, 1, 1_999],
  [9, 1, 255_999],
  [10, 1, 299_999],
  [5_000, 1, 299_999],
])('after %i attempts waits %i to %i ms', (attempts, low, high) => {
  expect(backoffMs(attempts, limits, least)).toBe(low);
  expect(backoffMs(attempts, limits, most)).toBe(high);
});
