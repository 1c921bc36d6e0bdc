import { csvFormat } from './csv/csv-format';
import { excelFormat } from './excel/excel-format';
import type { FileFormat } from './format/file-format';
import { jsonFormat } from './json/json-format';
import { parquetFormat } from './parquet/parquet-format';

/** All formats, in the order in which they are shown. */
export const FILE_FORMATS: readonly FileFormat[] = [
  csvFormat,
  excelFormat,
  jsonFormat,
  parquetFormat,
];
