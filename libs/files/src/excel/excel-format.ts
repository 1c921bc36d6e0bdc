import type { JsonObject } from '@penstock/schema';
import { flag, members } from '@penstock/settings';
import type { Content } from '../content/content';
import { FileFault } from '../content/file-fault';
import type { SpooledFile } from '../content/spooled-file';
import type { FileFormat, FileRecord, FileTable, TableWanted } from '../format/file-format';
import { peeked } from '../format/peeked';
import { columnLetters, propertyNamesOf } from '../format/property-names';
import { MAX_COLUMNS, textRecord, textSchema, UNCLEAN } from '../format/text-columns';
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
  const { cells } = first;
  if (cells.length > MAX_COLUMNS)
    throw new FileFault('InvalidFile', `has more than ${String(MAX_COLUMNS)} columns`);
  return json.get('hasColumnNames') === true
    ? propertyNamesOf(cells)
    : cells.map((_, index) => columnLetters(index));
};

const recordOf = (read: SheetRow, names: readonly string[]): FileRecord => {
  if ('error' in read) return read;
  const { row, cells } = read;
  if (cells.length > names.length)
    return {
      row,
      error: `has a value in column ${columnLetters(cells.length - 1)}, beyond the ${String(names.length)} columns of the first row`,
    };
  const bad = cells.findIndex((cell) => UNCLEAN.test(cell));
  return bad < 0
    ? { row, values: textRecord(names, cells) }
    : { row, error: `cell ${String(bad + 1)} is not UTF-8, or holds NUL` };
};

async function* records(
  rows: AsyncIterable<readonly SheetRow[]>,
  names: readonly string[],
  namedByFirst: boolean,
): AsyncGenerator<readonly FileRecord[]> {
  let left = namedByFirst ? 1 : 0;
  for await (const batch of rows) {
    const rest = batch.slice(left);
    left = 0;
    if (rest.length > 0) yield rest.map((row) => recordOf(row, names));
  }
}

const tableOf = async (
  file: SpooledFile,
  { options }: Content,
  { sheet, settings: json }: TableWanted,
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
      issues: [],
      records: records(all, names, json.get('hasColumnNames') === true),
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
