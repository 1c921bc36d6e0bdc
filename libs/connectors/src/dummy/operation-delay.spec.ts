import { chooseDelayMs, parseOperationDelay } from './operation-delay';

const DAY_MS = 86_400_000;

it.each([
  ['0ms', 0, 0],
  ['200ms', 200, 200],
  ['1.5s', 1_500, 1_500],
  ['2m', 120_000, 120_000],
  ['24h', DAY_MS, DAY_MS],
  ['86400s', DAY_MS, DAY_MS],
  ['100ms-2s', 100, 2_000],
  ['1s-1000ms', 1_000, 1_000],
])('%s is %d to %d ms', (text, fromMs, toMs) => {
  expect(parseOperationDelay(text)).toEqual({ fromMs, toMs });
});

it.each([
  '',
  '200',
  'ms',
  '-1s',
  '1 s',
  '1.s',
  '.5s',
  '1d',
  '1S',
  '24.1h',
  '86400001ms',
  '1s-24.1h',
  '2s-1s',
  '1s-',
  '-',
  '1s-2s-3s',
  'NaNs',
])('%j is no delay', (text) => {
  expect(parseOperationDelay(text)).toBeUndefined();
});

it('chooses between the ends', () => {
  const delay = { fromMs: 100, toMs: 200 };
  expect(chooseDelayMs(delay, 0)).toBe(100);
  expect(chooseDelayMs(delay, 0.5)).toBe(150);
  expect(chooseDelayMs({ fromMs: 7, toMs: 7 }, 0.9)).toBe(7);
});
