import { compilePattern, PatternSyntaxError } from './pattern';

it.each([
  ['b', 'abc', true],
  ['^b', 'abc', false],
  ['^a$', 'a\n', false],
  ['(?m)^a$', 'b\na\n', true],
  ['(?i)É', 'é', true],
  ['^.$', '😀', true],
  ['^.$', '\n', false],
  ['(?s)^.$', '\n', true],
  ['\\p{Greek}', 'λ', true],
  ['\\d', '٣', false],
  ['', '', true],
  ['[[:upper:]]', 'a', false],
])('%s found in %j: %s', (pattern, text, found) =>
  expect(compilePattern(pattern).test(text)).toBe(found),
);

it.each([
  '(?=a)',
  '(?!a)',
  '(?<=a)b',
  '(?<!a)b',
  '(a)\\1',
  '(',
  '[',
  'a)',
  'a**',
  'a++',
  'a{1001}',
  '\\Z',
  '\\',
  '(?P<n>a)(?P<n>b)',
  '[b-a]',
])('%s is refused', (pattern) => expect(() => compilePattern(pattern)).toThrow(PatternSyntaxError));

it('finds every match with its groups, but no empty one behind another', () => {
  const { findAll, groupCount, groupNames } = compilePattern('(a)|(?P<n>b)*');
  expect(groupCount).toBe(2);
  expect(groupNames).toEqual(new Map([['n', 2]]));
  expect([...findAll('xabb')]).toEqual([
    { start: 0, end: 0, groups: ['', null, null] },
    { start: 1, end: 2, groups: ['a', 'a', null] },
    { start: 2, end: 4, groups: ['bb', null, 'b'] },
  ]);
});

it('takes no longer than linear time', () => {
  const text = `${'a'.repeat(50_000)}b`;
  const started = process.cpuUsage();
  expect(compilePattern('^(a+)+$').test(text)).toBe(false);
  const { user, system } = process.cpuUsage(started);
  expect((user + system) / 1_000).toBeLessThan(5000);
});
