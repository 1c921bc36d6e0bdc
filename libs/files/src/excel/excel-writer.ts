import type { RecordValue, Schema } from '@penstock/schema';
import { FileFault } from '../content/file-fault';
import { checkRecord, type FileWriter, type TableWriting } from '../format/file-writer';
import { columnLetters } from '../format/property-names';
import { zipped } from '../zip/zip-stream';
import { type Cell, cellOf, cellXml, MAX_CELL_LENGTH } from './cell-writer';
import { partsBeside, SHEET_END, SHEET_HEAD, SHEET_PART } from './workbook-parts';

/** Source: Excel, size of a sheet, and rules for the names of sheets. */
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;
const SHEET_NAME = /^(?!')[^\\/*?:[\]\u0001-\u001f]{1,31}(?<!')$/;
const DEFAULT_SHEET = 'Sheet1';
/** UTF-16 units that are made into bytes at a time. */
const PIECE_LENGTH = 65_536;

/** @throws FileFault SheetNotExist for a name that no sheet can have. */
const checkSheet = (name: string): string => {
  if (SHEET_NAME.test(name)) return name;
  throw new FileFault(
    'SheetNotExist',
    'the name of a sheet has 1 to 31 characters, none of \\ / * ? : [ ], and no apostrophe at its ends',
  );
};

const cellsOf = ({ properties }: Schema, record: RecordValue): readonly (Cell | undefined)[] =>
  properties.map(({ name, type }) => {
    const value = record[name] ?? null;
    return value === null ? undefined : cellOf(type, value);
  });

const rowXml = (
  letters: readonly string[],
  cells: readonly (Cell | undefined)[],
  row: number,
): string => {
  const number = String(row);
  const xml = cells.map((cell, index) =>
    cell === undefined ? '' : cellXml(cell, (letters[index] ?? '') + number),
  );
  return `<row r="${number}">${xml.join('')}</row>`;
};

const problemIn = (schema: Schema): ((record: RecordValue) => string | undefined) => {
  return (record) => {
    const index = cellsOf(schema, record).findIndex(
      (cell) => cell !== undefined && cell.text.length > MAX_CELL_LENGTH,
    );
    return index < 0
      ? undefined
      : `${schema.properties[index]?.name ?? ''} is longer than ${String(MAX_CELL_LENGTH)} characters, which a cell cannot be`;
  };
};

async function* sheetXml(
  schema: Schema,
  writer: FileWriter,
  records: AsyncIterable<readonly RecordValue[]>,
): AsyncGenerator<Uint8Array> {
  const { properties } = schema;
  const letters = properties.map((_, index) => columnLetters(index));
  const names = properties.map(({ name }): Cell => ({ kind: 'text', text: name }));
  let row = 1;
  let xml = SHEET_HEAD + rowXml(letters, names, row);
  for await (const batch of records)
    for (const record of batch) {
      checkRecord(writer, record, row);
      row += 1;
      if (row > MAX_ROWS)
        throw new FileFault(
          'InvalidFile',
          `would have more than ${String(MAX_ROWS)} rows, which a sheet cannot have`,
        );
      xml += rowXml(letters, cellsOf(schema, record), row);
      if (xml.length < PIECE_LENGTH) continue;
      yield Buffer.from(xml);
      xml = '';
    }
  yield Buffer.from(xml + SHEET_END);
}

async function* once(xml: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(xml));
}

/**
 * Writes workbooks of one sheet, whose first row has the names of the columns.
 *
 * @throws FileFault SheetNotExist for a name that no sheet can have, InvalidFile for too many columns.
 */
export const excelWriter = ({ schema, sheet = DEFAULT_SHEET }: TableWriting): FileWriter => {
  const name = checkSheet(sheet);
  if (schema.properties.length > MAX_COLUMNS)
    throw new FileFault('InvalidFile', `would have more than ${String(MAX_COLUMNS)} columns`);
  const writer: FileWriter = {
    problemOf: problemIn(schema),
    write: (records) =>
      zipped(
        [
          ...partsBeside(name).map(([part, xml]) => ({ name: part, bytes: once(xml) })),
          { name: SHEET_PART, bytes: sheetXml(schema, writer, records) },
        ],
        new Date(),
      ),
  };
  return writer;
};
