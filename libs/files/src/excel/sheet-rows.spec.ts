import type { ZippedFile } from '../zip/zip-archive';
import { type SheetRow, sheetRows } from './sheet-rows';

const MAX = 1_048_576;

/** The row of a sheet with these texts in its cells, as they are stored. */
const rowOf = async (...texts: readonly string[]): Promise<SheetRow | undefined> => {
  const cells = texts.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`);
  const xml = `<worksheet><sheetData><row r="1">${cells.join('')}</row></sheetData></worksheet>`;
  const file: Pick<ZippedFile, 'read'> = {
    async *read() {
      yield await Promise.resolve(Buffer.from(xml));
    },
  };
  const context = { strings: { get: () => undefined }, forms: [], isFrom1904: false };
  const rows: SheetRow[] = [];
  for await (const some of sheetRows(file as ZippedFile, context as never)) rows.push(...some);
  return rows[0];
};

const x = (count: number): string => 'x'.repeat(count);

it('reads a row of as many characters as it may have', async () => {
  expect(await rowOf(x(MAX - 10), x(10))).toEqual({ row: 1, cells: [x(MAX - 10), x(10)] });
});

it.each([
  ['of one character more', [x(MAX - 10), x(11)]],
  ['in one cell', [x(MAX + 1)]],
  ['whose last text is as long only as it is stored', [x(MAX - 100), '_x000D_'.repeat(20)]],
])('refuses a row %s, and cuts none off', async (_, texts) => {
  expect(await rowOf(...texts)).toEqual({
    row: 1,
    error: `is longer than ${String(MAX)} characters`,
  });
});
