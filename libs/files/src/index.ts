export {
  type Compression,
  COMPRESSIONS,
  type ReadingOptions,
} from './compression/decompressed';
export { FileFault, type FileFaultKind } from './content/file-fault';
export type { Content } from './content/content';
export type { SpooledFile, SpoolOptions } from './content/spooled-file';
export { limited } from './content/limited';
export type { StoredFile } from './content/stored-file';
export type { FileFormat, FileRecord, FileTable, TableWanted } from './format/file-format';
export { FILE_FORMATS } from './formats';
export { type FileReading, openTable, sheetsOf } from './open-file';
export { ZIP_LIMITS, type ZipLimits } from './zip/zip-archive';
