import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { independentFiles } from '../independent/independent-files.fixture';
import { sheetsOf } from '../open-file';
import { badPaths } from '../settings.fixture';
import {
  formatOf,
  opened,
  readAll,
  SpoolFolder,
  type SpecReading,
  stored,
} from '../testing.fixture';

jest.setTimeout(300_000);

let folder: string;
const spool = new SpoolFolder();
const options = { spool: { folder: spool.folder, maxBytes: 268_435_456 } };

beforeAll(() => {
  folder = independentFiles();
});
afterAll(() => {
  spool.remove();
});
afterEach(() => {
  expect(spool.left).toEqual([]);
});

const file = (name: string): Buffer => readFileSync(join(folder, name));
const read = (name: string | Buffer, sheet: string, more: SpecReading = {}) =>
  readAll('excel', typeof name === 'string' ? file(name) : name, { options, sheet, ...more });
const named = { settings: { hasColumnNames: true } };

it('reads what openpyxl wrote as texts', async () => {
  const { properties, records, errors, issues } = await read('users.xlsx', 'Users', named);
  expect(properties).toEqual(['First_Name', 'born', 'at', 'opens', 'score', 'ok', 'note']);
  expect(records).toEqual([
    {
      First_Name: 'Ada',
      born: '1915-12-10',
      at: '2024-02-29T10:11:12.345',
      opens: '09:30:00',
      score: '0.3',
      ok: 'true',
      note: '',
    },
    {
      First_Name: 'Zoë 😀',
      born: '1900-01-01',
      at: '9999-12-31T23:59:59',
      opens: '00:00:00',
      score: '12345678901234',
      ok: 'false',
      note: '',
    },
    { First_Name: ' x\ny ', born: '', at: '', opens: '', score: '-1e-7', ok: '', note: '' },
    {
      First_Name: 'A & <b>',
      born: '',
      at: '',
      opens: '',
      score: '1e+300',
      ok: '',
      note: 'end',
    },
  ]);
  expect(errors).toEqual([[6, 'has a value in column H, beyond the 7 columns of the first row']]);
  expect(issues).toEqual([]);
});

it('reads what XlsxWriter wrote: results of formulas, forms of numbers, days of both sides of the gap', async () => {
  const { records, errors, readable } = await read('second.xlsx', 'Data', named);
  expect(
    Object.fromEntries(records.map((each) => Object.values(each as Record<string, string>))),
  ).toEqual({
    formula: '2',
    'text of a formula': 'ab',
    date: '2024-02-29',
    'date with a time': '2024-02-29T12:00:00',
    time: '18:00:00',
    month: '2024-02-29',
    quoted: '1.5',
    coloured: '2',
    duration: '1.5',
    'last day before': '1900-02-28',
    'first day after': '1900-03-01',
    'last day': '9999-12-31',
    rounded: '2024-02-29T00:00:00',
    boolean: 'true',
  });
  expect(errors.map(([row]) => row)).toEqual([12, 14, 16, 18]);
  expect(readable).toEqual(errors.map(() => ['what']));
  expect(errors[0]?.[1]).toBe('column "value" holds no value that can be read');
});

it('reads no column that is not wanted', async () => {
  const { records, errors } = await read('second.xlsx', 'Data', {
    ...named,
    columns: new Set(['what']),
  });
  expect(errors).toEqual([]);
  expect(records).toHaveLength(18);
});

it('counts days from 1904 where the workbook does', async () => {
  expect((await read('from-1904.xlsx', 'Sheet')).records).toEqual([
    { A: '1904-01-02', B: '2024-02-29T12:00:00' },
  ]);
});

it('reads many rows, a part at a time', async () => {
  const table = await opened('excel', file('many.xlsx'), { options, sheet: 'Rows' });
  let rows = 0;
  let largest = 0;
  for await (const batch of table.records) {
    rows += batch.length;
    largest = Math.max(largest, batch.length);
  }
  await table.close();
  expect(rows).toBe(40_000);
  expect(largest).toBeLessThan(4_000);
  const { texts } = await read('many.xlsx', 'Rows');
  expect(texts[39_999]).toBe('{"A":"text 39999","B":"39999","C":"same"}');
});

it('lists the sheets in their order, without charts', async () => {
  const reading = { format: formatOf('excel'), compression: '' as const, options };
  expect(await sheetsOf(stored(file('users.xlsx')), reading)).toEqual([
    'Users',
    'Zweites & Blatt',
    'Empty',
  ]);
});

it.each<[string, string, SpecReading, string, RegExp]>([
  ['users.xlsx', 'users', {}, 'SheetNotExist', /no sheet of this name/],
  ['users.xlsx', 'Chart', {}, 'SheetNotExist', /no sheet of this name/],
  ['users.xlsx', 'Empty', {}, 'NoColumnsFound', /the sheet is empty/],
  ['users.xlsx', 'Zweites & Blatt', named, 'NoColumnsFound', /both become the property a_b/],
  ['snappy.parquet', 'Users', {}, 'InvalidFile', /no Zip file/],
])('refuses %s, %s', async (name, sheet, more, kind, message) => {
  await expect(read(name, sheet, more)).rejects.toMatchObject({
    kind,
    message: expect.stringMatching(message) as string,
  });
});

it.each([
  ['no bytes', () => Buffer.alloc(0)],
  ['a file that is cut off', () => file('users.xlsx').subarray(0, -50)],
  ['a file with changed bytes', () => file('many.xlsx').fill(1, 20_000, 20_100)],
])('refuses %s', async (_, content) => {
  await expect(read(content(), 'Rows')).rejects.toMatchObject({ kind: 'InvalidFile' });
});

it('with any byte changed gives records or is refused', async () => {
  const whole = file('from-1904.xlsx');
  for (let at = 0; at < whole.length; at += 7) {
    const content = Buffer.from(whole);
    content[at] = (content[at] ?? 0) ^ (1 << (at % 8));
    const result = await read(content, 'Sheet').catch((error: unknown) => error);
    if (result instanceof Error) expect(result).toMatchObject({ name: 'FileFault' });
  }
});

it.each<[object, string[]]>([
  [{}, []],
  [{ hasColumnNames: true }, []],
  [{ hasColumnNames: 1, sheet: 'a' }, ['/hasColumnNames', '/sheet']],
])('checks the settings %j', (settings, paths) => {
  expect(badPaths('excel', settings)).toEqual(paths);
});
