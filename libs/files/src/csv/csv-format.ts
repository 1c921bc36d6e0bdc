import { JsonNumber, type JsonObject } from '@penstock/schema';
import { flag, integer, members, readNumber, readText, text } from '@penstock/settings';
import type { Content } from '../content/content';
import { FileFault } from '../content/file-fault';
import { textOf } from '../content/text-of';
import { type FileFormat, type FileRecord, noSheets } from '../format/file-format';
import { columnLetters, propertyNamesOf } from '../format/property-names';
import {
  MAX_COLUMNS,
  type TextColumn,
  textColumns,
  textRecord,
  textSchema,
} from '../format/text-columns';
import { peeked } from '../format/peeked';
import { type CsvRead, csvRows } from './csv-rows';
import { csvWriter } from './csv-writer';

const settings = members(
  {
    name: 'separator',
    form: text({
      maxLength: 1,
      problem: (separator) =>
        /["\r\n\ufeff\ufffd]/.test(separator)
          ? 'must not be a quote or the end of a line'
          : undefined,
    }),
    description: 'Character between two cells.',
    default: ',',
  },
  {
    name: 'hasColumnNames',
    form: flag,
    description: 'Whether the first row holds the names of the columns; else they are A, B, …',
    default: false,
  },
  {
    name: 'numberOfColumns',
    form: integer(0, MAX_COLUMNS),
    description: 'How many cells each row has; 0: as many as the first row.',
    default: new JsonNumber('0'),
  },
  {
    name: 'lazyQuotes',
    form: flag,
    description:
      'Whether a quote may stand in a cell without quotes, and a single one in a cell with quotes.',
    default: false,
  },
  {
    name: 'trimLeadingSpace',
    form: flag,
    description: 'Whether white space at the beginning of a cell is left out.',
    default: false,
  },
  {
    name: 'useCRLF',
    form: flag,
    description: 'Of exports: whether lines end with CR and LF. Both ends of lines are read.',
    default: false,
  },
);

const isSet = (json: JsonObject, name: string): boolean => json.get(name) === true;

const cells = (count: number): string => `${String(count)} ${count === 1 ? 'cell' : 'cells'}`;

/** @throws FileFault when the number of columns cannot be that of the file. */
const checkCount = (count: number, wanted: number): number => {
  if (count > MAX_COLUMNS)
    throw new FileFault('InvalidFile', `has more than ${String(MAX_COLUMNS)} columns`);
  if (wanted !== 0 && wanted !== count)
    throw new FileFault(
      'InvalidFile',
      `the row of names has ${cells(count)}, and formatSettings.numberOfColumns is ${String(wanted)}`,
    );
  return count;
};

/** The names of the properties. @throws FileFault NoColumnsFound, InvalidFile */
const columnsOf = (first: CsvRead | undefined, json: JsonObject): readonly string[] => {
  const wanted = readNumber(json, 'numberOfColumns');
  if (first === undefined) throw new FileFault('NoColumnsFound', 'the file is empty');
  if (!isSet(json, 'hasColumnNames') && wanted > 0)
    return Array.from({ length: wanted }, (_, index) => columnLetters(index));
  if ('error' in first)
    throw new FileFault('InvalidFile', `row ${String(first.row)} ${first.error}`);
  if (!isSet(json, 'hasColumnNames'))
    return Array.from({ length: checkCount(first.cells.length, 0) }, (_, index) =>
      columnLetters(index),
    );
  checkCount(first.cells.length, wanted);
  return propertyNamesOf(first.cells);
};

/** Cells of a row with another number of them may be those of other columns. */
const recordOf = (read: CsvRead, count: number, columns: readonly TextColumn[]): FileRecord => {
  if ('error' in read) return read;
  const { row, cells: given } = read;
  return given.length === count
    ? textRecord(row, given, columns)
    : { row, error: `has ${cells(given.length)} instead of ${String(count)}` };
};

async function* records(
  rows: AsyncIterable<readonly CsvRead[]>,
  { names, columns }: { names: readonly string[]; columns: readonly TextColumn[] },
  from: number,
): AsyncGenerator<readonly FileRecord[]> {
  let left = from;
  for await (const batch of rows) {
    const rest = left === 0 ? batch : batch.slice(left);
    left = 0;
    if (rest.length > 0) yield rest.map((row) => recordOf(row, names.length, columns));
  }
}

/** Texts with a separator; all columns are strings. */
export const csvFormat: FileFormat = {
  code: 'csv',
  label: 'CSV',
  contentType: 'text/csv',
  fileExtension: 'csv',
  hasSheets: false,
  settings,
  sheets: noSheets,
  open: async ({ bytes }: Content, { settings: json, columns: wanted }) => {
    const rows = await peeked(
      csvRows(textOf(bytes), {
        separator: readText(json, 'separator'),
        lazyQuotes: isSet(json, 'lazyQuotes'),
        trimLeadingSpace: isSet(json, 'trimLeadingSpace'),
      }),
    );
    try {
      const names = columnsOf(rows.first?.[0], json);
      return {
        schema: textSchema(names),
        unit: 'line',
        issues: [],
        records: records(
          rows.all,
          { names, columns: textColumns(names, wanted) },
          isSet(json, 'hasColumnNames') ? 1 : 0,
        ),
        close: rows.close,
      };
    } catch (error) {
      await rows.close();
      throw error;
    }
  },
  writer: csvWriter,
};
