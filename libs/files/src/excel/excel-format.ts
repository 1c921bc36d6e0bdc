import { type JsonObject, newRecord } from '@penstock/schema';
import { flag, members } from '@penstock/settings';
import type { Content } from '../content/content';
import { FileFault } from '../content/file-fault';
import type { SpooledFile } from '../content/spooled-file';
import type { FileFormat, FileRecord, FileTable, TableWanted } from '../format/file-format';
import { peeked } from '../format/peeked';
import { columnLetters, propertyNamesOf } from '../format/property-names';
import {
  MAX_COLUMNS,
  type TextColumn,
  textColumns,
  textRecord,
  textSchema,
} from '../format/text-columns';
import { numberForms } from './cell-dates';
import { sharedStrings } from './shared-strings';
import { type SheetRow, sheetRows } from './sheet-rows';
import { type Sheet, type Workbook, workbookIn } from './workbook';
import { excelWriter } from './excel-writer';

const settings = members({
  name: 'hasColumnNames',
  form: flag,
  description: 'Whether the first row holds the names of the columns; else they are A, B, …',
  default: false,
});

const sheetNamed = ({ sheets }: Workbook, wanted: string | undefined): Sheet => {
  const found = sheets.find(({ name }) => name === wanted);
  if (found === undefined)
    throw new FileFault('SheetNotExist', 'the workbook has no sheet of this name');
  return found;
};

/** The names of the properties. @throws FileFault NoColumnsFound, InvalidFile */
const columnsOf = (first: SheetRow | undefined, json: JsonObject): readonly string[] => {
  if (first === undefined) throw new FileFault('NoColumnsFound', 'the sheet is empty');
  if ('error' in first)
    throw new FileFault('InvalidFile', `row ${String(first.row)} ${first.error}`);
  const { cells, problems } = first;
  if (cells.length > MAX_COLUMNS)
    throw new FileFault('InvalidFile', `has more than ${String(MAX_COLUMNS)} columns`);
  if (json.get('hasColumnNames') !== true) return cells.map((_, index) => columnLetters(index));
  for (const [index, problem] of problems ?? [])
    throw new FileFault('NoColumnsFound', `the name of column ${columnLetters(index)} ${problem}`);
  return propertyNamesOf(cells);
};

const recordOf = (read: SheetRow, count: number, columns: readonly TextColumn[]): FileRecord => {
  if ('error' in read) return read;
  const { row, cells, problems } = read;
  const record = textRecord(row, cells, columns, problems);
  if (cells.length <= count) return record;
  const last = columnLetters(cells.length - 1);
  return {
    row,
    error: `has a value in column ${last}, beyond the ${String(count)} columns of the first row`,
    readable: 'values' in record ? record.values : (record.readable ?? newRecord()),
  };
};

async function* records(
  rows: AsyncIterable<readonly SheetRow[]>,
  { names, columns }: { names: readonly string[]; columns: readonly TextColumn[] },
  namedByFirst: boolean,
): AsyncGenerator<readonly FileRecord[]> {
  let left = namedByFirst ? 1 : 0;
  for await (const batch of rows) {
    const rest = batch.slice(left);
    left = 0;
    if (rest.length > 0) yield rest.map((row) => recordOf(row, names.length, columns));
  }
}

const tableOf = async (
  file: SpooledFile,
  { options }: Content,
  { sheet, settings: json, columns }: TableWanted,
): Promise<FileTable> => {
  const workbook = await workbookIn(file, options);
  const wanted = sheetNamed(workbook, sheet);
  const forms = await numberForms(workbook.styles);
  const strings = await sharedStrings(workbook.strings, options.spool);
  const { isFrom1904 } = workbook;
  const rows = sheetRows(wanted.file, { strings, forms, isFrom1904 });
  const close = async (): Promise<void> => {
    await rows.return(undefined);
    await strings.close();
    await file.close();
  };
  try {
    const { first, all } = await peeked(rows);
    const names = columnsOf(first?.[0], json);
    return {
      schema: textSchema(names),
      unit: 'row',
      issues: [],
      records: records(
        all,
        { names, columns: textColumns(names, columns) },
        json.get('hasColumnNames') === true,
      ),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

/** Workbooks of Excel (xlsx); all columns are strings. */
export const excelFormat: FileFormat = {
  code: 'excel',
  label: 'Excel',
  contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  fileExtension: 'xlsx',
  hasSheets: true,
  settings,
  sheets: async (content) => {
    const file = await content.spooled();
    try {
      return (await workbookIn(file, content.options)).sheets.map(({ name }) => name);
    } finally {
      await file.close();
    }
  },
  open: async (content, wanted) => {
    const file = await content.spooled();
    try {
      return await tableOf(file, content, wanted);
    } catch (error) {
      await file.close();
      throw error;
    }
  },
  writer: excelWriter,
};
