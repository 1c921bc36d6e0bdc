import { badPaths } from '../settings.fixture';
import { readAll } from '../testing.fixture';

const named = { settings: { hasColumnNames: true } };
const many = (count: number): string =>
  Array.from({ length: count }, (_, n) => `c${String(n)}`).join();

it('gives texts under the names of the first row, made names of properties', async () => {
  const { properties, records, issues } = await readAll(
    'csv',
    '\ufeffFirst Name, Öl-Preis €,1st,a__b\nAda,7,x,\n"Grace, the ""G""",8,"y\nz",ü😀\n',
    named,
  );
  expect(properties).toEqual(['First_Name', 'Ol_Preis_', '_1st', 'a__b']);
  expect(records).toEqual([
    { First_Name: 'Ada', Ol_Preis_: '7', _1st: 'x', a__b: '' },
    { First_Name: 'Grace, the "G"', Ol_Preis_: '8', _1st: 'y\nz', a__b: 'ü😀' },
  ]);
  expect(issues).toEqual([]);
});

it('names columns by letters', async () => {
  const { properties, records } = await readAll('csv', `${many(704)}\n`);
  expect([0, 25, 26, 51, 52, 701, 702, 703].map((n) => properties[n])).toEqual([
    'A',
    'Z',
    'AA',
    'AZ',
    'BA',
    'ZZ',
    'AAA',
    'AAB',
  ]);
  expect(records).toHaveLength(1);
});

it('makes a row of another length an error of that row', async () => {
  const { records, errors } = await readAll('csv', 'a,b\n1\n2,3\n4,5,6\n7,8', named);
  expect(records).toEqual([
    { a: '2', b: '3' },
    { a: '7', b: '8' },
  ]);
  expect(errors).toEqual([
    [2, 'has 1 cell instead of 2'],
    [4, 'has 3 cells instead of 2'],
  ]);
});

it('reads a number of columns that is given, also when the first row has another', async () => {
  const { records, errors } = await readAll('csv', '1\n2,3\n', {
    settings: { numberOfColumns: 2 },
  });
  expect(records).toEqual([{ A: '2', B: '3' }]);
  expect(errors).toEqual([[1, 'has 1 cell instead of 2']]);
});

it('makes what is not UTF-8 and NUL errors of their rows, wherever the content is cut', async () => {
  const content = Buffer.concat([
    Buffer.from('n,t\n1,ä\n2,'),
    Buffer.from('ä', 'latin1'),
    Buffer.from('\n3,€😀\n4,\0\n5,'),
    Buffer.from([0xed, 0xa0, 0x80]),
    Buffer.from('\n6,😀'),
    Buffer.from([0xf0, 0x9f]),
    Buffer.from('\n7,z'),
  ]);
  for (const length of [1, 2, 3, 5, 7, 64]) {
    const { records, errors } = await readAll('csv', content, { ...named, length });
    expect(records).toEqual([
      { n: '1', t: 'ä' },
      { n: '3', t: '€😀' },
      { n: '7', t: 'z' },
    ]);
    expect(errors.map(([row]) => row)).toEqual([3, 5, 6, 7]);
    expect(errors[0]?.[1]).toBe('column "t" is not UTF-8, or holds NUL');
  }
});

const bad = Buffer.from('id,a,b\n1,x,\xff\n2,\xff,\xff\n3,x\n"4"x,y,z\n', 'latin1');

it('reads every cell by itself: only rows without columns have none that can be read', async () => {
  const { errors, readable } = await readAll('csv', bad, named);
  expect(errors).toEqual([
    [2, 'column "b" is not UTF-8, or holds NUL'],
    [3, 'column "a" is not UTF-8, or holds NUL; column "b" is not UTF-8, or holds NUL'],
    [4, 'has 2 cells instead of 3'],
    [5, expect.stringMatching(/^has text behind the quote/)],
  ]);
  expect(readable).toEqual([['id', 'a'], ['id'], null, null]);
});

it('reads no column that is not wanted', async () => {
  const reading = { ...named, columns: new Set(['id', 'a']) };
  const { records, errors, readable } = await readAll('csv', bad.subarray(0, 19), reading);
  expect(records).toEqual([{ id: '1', a: 'x' }]);
  expect(errors).toEqual([[3, 'column "a" is not UTF-8, or holds NUL']]);
  expect(readable).toEqual([['id']]);
});

it.each<[string, string | Uint8Array, object, string, RegExp]>([
  ['an empty file', '', named, 'NoColumnsFound', /empty/],
  ['empty lines', '\n\r\n\n', {}, 'NoColumnsFound', /empty/],
  [
    'equal names',
    'a b,c,a-b\n',
    named,
    'NoColumnsFound',
    /column 3 \("a-b"\) and column 1 \("a b"\).* a_b$/,
  ],
  ['a name of which nothing is left', 'a,***\n', named, 'NoColumnsFound', /column 2 \("\*\*\*"\)/],
  ['an empty name', 'a,,b\n', named, 'NoColumnsFound', /column 2 \(""\)/],
  ['names that cannot be read', 'a,"b"c\n', named, 'InvalidFile', /row 1 has text behind/],
  [
    'another number of names',
    'a,b\n',
    { settings: { hasColumnNames: true, numberOfColumns: 3 } },
    'InvalidFile',
    /has 2 cells, and formatSettings.numberOfColumns is 3/,
  ],
  ['too many columns', `${many(1_001)}\n`, {}, 'InvalidFile', /more than 1000 columns/],
  ['too many names', `${many(1_001)}\n`, named, 'InvalidFile', /more than 1000 columns/],
  ['UTF-16', Buffer.from('\ufeffa,b\n', 'utf16le'), named, 'InvalidFile', /UTF-16/],
])('refuses %s', async (_, content, reading, kind, message) => {
  await expect(readAll('csv', content, reading)).rejects.toMatchObject({
    kind,
    message: expect.stringMatching(message) as string,
  });
});

it('reads the most columns', async () => {
  expect((await readAll('csv', `${many(1_000)}\n`, named)).properties).toHaveLength(1_000);
});

it.each<[object, string[]]>([
  [{}, []],
  [{ separator: '\t', numberOfColumns: 1_000, lazyQuotes: true, useCRLF: true }, []],
  [{ separator: '😀' }, []],
  [{ separator: '' }, ['/separator']],
  [{ separator: ',,' }, ['/separator']],
  [{ separator: '"' }, ['/separator']],
  [{ separator: '\n' }, ['/separator']],
  [{ numberOfColumns: -1 }, ['/numberOfColumns']],
  [{ numberOfColumns: 1_001 }, ['/numberOfColumns']],
  [{ hasColumnNames: 'yes', delimiter: ',' }, ['/hasColumnNames', '/delimiter']],
])('checks the settings %j', (settings, paths) => {
  expect(badPaths('csv', settings)).toEqual(paths);
});
