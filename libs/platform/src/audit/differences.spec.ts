import { Differences } from './differences';

const reported = (expected: object, actual: object): string[] => {
  const differences = new Differences();
  differences.compareAll(
    (key: string) => `table ${key}`,
    new Map(Object.entries(expected) as [string, object][]),
    new Map(Object.entries(actual) as [string, object][]),
  );
  return differences.named.map(({ where, what }) => `${where} ${what}`);
};

it.each<[string, object, object, string[]]>([
  ['nothing', {}, {}, []],
  ['the same', { a: { n: 1, m: [2] } }, { a: { m: [2], n: 1 } }, []],
  ['an absent and an undefined member', { a: { n: undefined } }, { a: {} }, []],
  ['what is missing', { a: {} }, {}, ['table a is missing']],
  ['what is too much', {}, { a: {} }, ['table a should not be there']],
  [
    'members that differ',
    { a: { n: 1, m: { x: 1 }, o: null } },
    { a: { n: 2, m: { x: 2 }, p: 1, o: null } },
    ['table a differs in m, n, p'],
  ],
  [
    'elements in another order',
    { a: { n: [1, 2] } },
    { a: { n: [2, 1] } },
    ['table a differs in n'],
  ],
])('reports %s', (_, expected, actual, differences) => {
  expect(reported(expected, actual)).toEqual(differences);
});

it('names places without what would disturb a terminal, and no longer than they are read', () => {
  const differences = new Differences();
  differences.report('key \u001b[2J\n0 differences', 'is \u202e not there');
  differences.report('k'.repeat(5_000), '');
  expect(differences.named).toEqual([
    { where: 'key \ufffd[2J\ufffd0 differences', what: 'is \ufffd not there' },
    { where: 'k'.repeat(1_000), what: '' },
  ]);
});

it('reports no values', () => {
  expect(reported({ a: { n: 'secret-1' } }, { a: { n: 'secret-2' } }).join()).not.toContain(
    'secret',
  );
});

it('names a thousand differences and counts all', () => {
  const differences = new Differences();
  for (let nth = 0; nth < 1_001; nth += 1) differences.report(`place ${String(nth)}`, 'differs');
  expect(differences.named).toHaveLength(1_000);
  expect(differences.count).toBe(1_001);
});
