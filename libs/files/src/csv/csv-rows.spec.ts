import type { CsvRules } from './csv-row';
import { type CsvRead, csvRows, MAX_EMPTY_LINES, MAX_ROW_LENGTH } from './csv-rows';

const RULES: CsvRules = { separator: ',', lazyQuotes: false, trimLeadingSpace: false };

async function* inPieces(text: string, length: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += length)
    yield await Promise.resolve(text.slice(at, at + length));
}

const read = async (
  text: string,
  rules: Partial<CsvRules> = {},
  length = text.length,
): Promise<CsvRead[]> => {
  const rows: CsvRead[] = [];
  for await (const batch of csvRows(inPieces(text, length), { ...RULES, ...rules }))
    rows.push(...batch);
  return rows;
};

const cells = async (...given: Parameters<typeof read>): Promise<unknown[]> =>
  (await read(...given)).map((row) => ('cells' in row ? row.cells : row.error));

it.each<[string, string, Partial<CsvRules>, unknown[]]>([
  [
    'plain cells',
    'a,b\n1,2\n',
    {},
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'no end of the last line',
    'a,b\n1,2',
    {},
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'CR and LF',
    'a,b\r\n1,2\r\n',
    {},
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  ['another separator', 'a;b,c\n', { separator: ';' }, [['a', 'b,c']]],
  ['a separator beyond ASCII', 'a→b\n', { separator: '→' }, [['a', 'b']]],
  [
    'empty cells',
    ',a,\n,,\n',
    {},
    [
      ['', 'a', ''],
      ['', '', ''],
    ],
  ],
  ['empty lines', '\na\n\n\nb\n', {}, [['a'], ['b']]],
  ['quotes', '"a","b""c",""\n', {}, [['a', 'b"c', '']]],
  ['a separator in quotes', '"a,b",c\n', {}, [['a,b', 'c']]],
  [
    'lines in quotes',
    '"a\nb\r\n\nc",d\ne,f\n',
    {},
    [
      ['a\nb\n\nc', 'd'],
      ['e', 'f'],
    ],
  ],
  ['a quote in a cell without', 'a"b,c\nd,e\n', {}, [/quote within cell 1/, ['d', 'e']]],
  ['text behind quotes', 'x,"a"b,c\nd,e\n', {}, [/behind the quote that ends cell 2/, ['d', 'e']]],
  ['quotes that never end', 'a,"b\nc\nd', {}, [/no quote at the end of cell 2/]],
  ['lazy quotes', 'a"b,"c"d"\n', { lazyQuotes: true }, [['a"b', 'c"d']]],
  ['lazy quotes that never end', 'a,"b\nc', { lazyQuotes: true }, [['a', 'b\nc']]],
  ['leading space', 'a, b,\t"c, d"\n', { trimLeadingSpace: true }, [['a', 'b', 'c, d']]],
  ['leading space that is kept', 'a, "b"\n', {}, [/quote within cell 2/]],
])('reads %s', async (_, text, rules, expected) => {
  const matching = expected.map((each) =>
    each instanceof RegExp ? (expect.stringMatching(each) as unknown) : each,
  );
  for (const length of [text.length, 1, 2, 3])
    expect(await cells(text, rules, length)).toEqual(matching);
});

it('names a row by its first line', async () => {
  const rows = await read('a\n"b\nc"\n\nd"\ne\n');
  expect(rows.map(({ row }) => row)).toEqual([1, 2, 5, 6]);
});

describe('a row of the longest length', () => {
  const x = (length: number): string => 'x'.repeat(length);

  it('is read', async () => {
    expect(await cells(`${x(MAX_ROW_LENGTH)}\na\n`, {}, 65_536)).toEqual([
      [x(MAX_ROW_LENGTH)],
      ['a'],
    ]);
  });

  it.each([
    ['in a line', `${x(MAX_ROW_LENGTH + 1)}\na\n`],
    ['in a line of several times that length', `${x(3 * MAX_ROW_LENGTH)}\na\n`],
    ['at the end', `a\n${x(MAX_ROW_LENGTH + 1)}`],
  ])('plus one is an error %s, and the others are read', async (_, text) => {
    const found = await cells(text, {}, 65_536);
    expect(found).toHaveLength(2);
    expect(found).toContainEqual(['a']);
    expect(found).toContainEqual(expect.stringMatching(/longer than 1048576 characters/));
  });

  it('is where a quote that never ends stops, so that memory is bounded', async () => {
    const line = `${x(1_023)}\n`;
    const rows = await read(`a,"${line.repeat(3_000)}`, {}, 65_536);
    expect(rows.filter((row) => 'error' in row)).toHaveLength(1);
    expect(rows.length).toBeGreaterThan(1_500);
    expect(rows[0]).toMatchObject({ row: 1, error: expect.stringMatching(/longer/) as string });
  });
});

it('counts the ends of the lines that are in quotes', async () => {
  const lines = 'line..\n\n'.repeat(MAX_ROW_LENGTH / 8 - 1);
  expect(await cells(`"${lines}123456"\nb`, {}, 65_536)).toEqual([[`${lines}123456`], ['b']]);
  expect(await cells(`"${lines}1234567"\nb`, {}, 65_536)).toEqual([
    expect.stringMatching(/longer than 1048576 characters/),
    ['b'],
  ]);
});

it('skips as many empty lines in a row as are allowed, and refuses one more', async () => {
  const most = '\n'.repeat(MAX_EMPTY_LINES);
  expect(await cells(`a\n${most}b\n${most}c`, {}, 65_536)).toEqual([['a'], ['b'], ['c']]);
  await expect(cells(`a\n${most}\nb`, {}, 65_536)).rejects.toThrow(
    'has more than 1000000 empty lines in a row, up to line 1000002',
  );
});
