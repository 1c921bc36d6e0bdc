import { compileMapping } from '../compile-mapping';
import { INPUT, outputOf, RECORD, recordOf } from '../trial.fixture';
import { beginSearches, withinSearchTime } from './search-time';

const TEXT = { kind: 'string' };
const TOO_LONG = 'searches by regular expressions take too long';

/** Until this process has had a processor for so long: on a busy machine that takes longer by the clock. */
const work = (ms: number): void => {
  const before = process.cpuUsage();
  let workedMs = 0;
  while (workedMs <= ms) {
    const { user, system } = process.cpuUsage(before);
    workedMs = (user + system) / 1_000;
  }
};

/** A text that is the same each time, and has no pattern. */
const mixed = (length: number): string => {
  let state = 1;
  const next = (): boolean => (state = (state * 48_271) % 2_147_483_647) < 1_073_741_824;
  return Array.from({ length }, () => (next() ? 'x' : 'y')).join('');
};

const COUNT = 100;

beforeEach(beginSearches);
afterEach(() => jest.restoreAllMocks());

it.each([
  // Quadratic, some hundred milliseconds each.
  ['regexp_replace(s, "x*y|x", "-")', 'x'.repeat(4_000), '-'],
  // Linear, some ten milliseconds each.
  ['regexp_match(s, "x[xy]{200}[^xy]")', mixed(20_000), 'false'],
])('many searches %s of one record are given up, not those of the next', (search, long, one) => {
  const expression = `concat(${Array(COUNT).fill(search).join(', ')})`;
  const mapping = compileMapping(new Map([['y', expression]]), INPUT, outputOf(TEXT));
  const apply = (s: string) => mapping.apply(recordOf({ ...RECORD, s }), 'None')['y'];
  for (const _ of [1, 2]) expect(() => apply(long)).toThrow(TOO_LONG);
  expect(apply('x')).toBe(one.repeat(COUNT));
});

it('a short text has what a longer one of its record had', () => {
  const [long, short] = ['x'.repeat(100_000), 'x'];
  expect(withinSearchTime(long, () => (work(400), 1))).toBe(1);
  expect(withinSearchTime(short, () => 2)).toBe(2);
  beginSearches();
  withinSearchTime(short, () => {
    work(400);
  });
  expect(() => withinSearchTime(short, () => 2)).toThrow(TOO_LONG);
});

it('a machine that stands still fails no record', () => {
  let nowMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => (nowMs += 60_000));
  const searched = withinSearchTime('x', (check) => {
    check();
    check();
    return 'searched';
  });
  expect(searched).toBe('searched');
});
