import { csvFormat } from './csv/csv-format';
import type { FileFormat } from './format/file-format';
import { jsonFormat } from './json/json-format';
import { parquetFormat } from './parquet/parquet-format';

/** All formats, in the order in which they are shown. */
export const FILE_FORMATS: readonly FileFormat[] = [csvFormat, jsonFormat, parquetFormat];
