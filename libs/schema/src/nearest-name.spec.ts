import * as fc from 'fast-check';
import { nearestName } from './nearest-name';

const NAMES = ['anonymousId', 'email', 'first_name', 'traits', 'lower', 'id', 'if'];

it.each<[name: string, meant: string | undefined]>([
  ['emial', 'email'],
  ['Email', 'email'],
  ['firstname', 'first_name'],
  ['traits', 'traits'],
  ['trait', 'traits'],
  ['triats', 'traits'],
  ['lowwer', 'lower'],
  ['Lower', 'lower'],
  ['anonymousID', 'anonymousId'],
  ['anonymous_id', 'anonymousId'],
  ['ID', 'id'],
  ['something', undefined],
  ['', undefined],
  ['x', undefined],
  ['ab', undefined],
])('%j is near to %j', (name, meant) => {
  expect(nearestName(name, NAMES)).toBe(meant);
});

it('prefers the nearest of several', () => {
  expect(nearestName('email', ['emails', 'e_mail', 'email_', 'EMAIL'])).toBe('EMAIL');
});

it('does not look for a name that is too long to be a slip', () => {
  const long = 'x'.repeat(65);
  expect(nearestName(long, [long])).toBeUndefined();
  expect(nearestName(long.slice(1), [long, long.slice(1)])).toBe(long.slice(1));
});

/** The whole table of optimal string alignment. */
const wholeTable = (a: string, b: string): number => {
  const table: number[][] = [];
  const at = (i: number, j: number): number => table[i]?.[j] ?? Infinity;
  for (let i = 0; i <= a.length; i++) {
    const row: number[] = [];
    table.push(row);
    for (let j = 0; j <= b.length; j++) {
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const least = Math.min(
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
        isSwap ? at(i - 2, j - 2) + 1 : Infinity,
      );
      row.push(i === 0 && j === 0 ? 0 : least);
    }
  }
  return at(a.length, b.length);
};

it('finds what the whole table of distances finds', () => {
  const names = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(names, fc.array(names, { maxLength: 6 }), (name, others) => {
      const most = Math.min(2, name.length - 1);
      const near = others
        .map((other) => ({ other, apart: wholeTable(name, other) }))
        .filter(({ apart }) => apart <= most);
      const least = Math.min(...near.map(({ apart }) => apart));
      expect(nearestName(name, others)).toBe(near.find(({ apart }) => apart === least)?.other);
    }),
    { numRuns: 2_000 },
  );
});
