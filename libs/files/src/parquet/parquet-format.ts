import { type FileMetaData, parquetMetadata, parquetSchema } from 'hyparquet';
import { members } from '@penstock/settings';
import { FileFault } from '../content/file-fault';
import type { SpooledFile } from '../content/spooled-file';
import {
  type FileFormat,
  type FileRecord,
  type FileTable,
  noSheets,
  type TableWanted,
} from '../format/file-format';
import { propertyNamesOf } from '../format/property-names';
import { propertyOf, schemaOf } from '../format/text-columns';
import { type Column, type ColumnPart, columnPart, type Problems, Unreadable } from './columns';
import { RowGroups } from './row-groups';
import { parquetWriter } from './parquet-writer';
import { checkThrift } from './thrift-bounds';

const MAGIC = 'PAR1';
/** The length of the description of the file, and the magic word. */
const TAIL_BYTES = 8;
/** Bytes of the description of a file. */
const MAX_METADATA_BYTES = 16_777_216;
/** Fields of it, and elements of its lists: a column of a group of rows has about 40. */
const MAX_METADATA_VALUES = 1_048_576;

const asItIs = <T>(value: T): T => value;

/** Statistics are not looked at, and need not be converted. */
const AS_THEY_ARE = {
  timestampFromMilliseconds: asItIs,
  timestampFromMicroseconds: asItIs,
  timestampFromNanoseconds: asItIs,
  dateFromDays: asItIs,
  stringFromBytes: asItIs,
  jsonFromBytes: asItIs,
};

const damaged = (cause: unknown): FileFault =>
  cause instanceof FileFault
    ? cause
    : new FileFault('InvalidFile', 'is damaged, or cut off: its Parquet data cannot be read', {
        cause,
      });

/** @returns the length of the description. @throws FileFault InvalidFile when it is no Parquet file. */
const checkEnds = async (file: SpooledFile): Promise<number> => {
  const none = new FileFault('InvalidFile', 'is no Parquet file, or is cut off');
  if (file.size < MAGIC.length + TAIL_BYTES) throw none;
  const head = Buffer.from(await file.read(0, MAGIC.length));
  const tail = Buffer.from(await file.read(file.size - TAIL_BYTES, file.size));
  if (tail.toString('latin1', MAGIC.length) === 'PARE')
    throw new FileFault('InvalidFile', 'is encrypted');
  if (head.toString('latin1') !== MAGIC || tail.toString('latin1', MAGIC.length) !== MAGIC)
    throw none;
  const length = tail.readUInt32LE(0);
  if (length > MAX_METADATA_BYTES)
    throw new FileFault('InvalidFile', 'has a description of more than 16 MiB');
  return length;
};

const metadataOf = async (file: SpooledFile): Promise<FileMetaData> => {
  const length = await checkEnds(file);
  const bytes = await file.read(file.size - TAIL_BYTES - length, file.size);
  checkThrift(bytes.subarray(0, length), MAX_METADATA_VALUES);
  return parquetMetadata(bytes, { geoparquet: false, parsers: AS_THEY_ARE });
};

interface Columns {
  readonly columns: readonly Column[];
  readonly issues: readonly string[];
}

const columnsOf = (metadata: FileMetaData, problems: Problems): Columns => {
  const issues: string[] = [];
  const read: { readonly name: string; readonly part: ColumnPart }[] = [];
  for (const tree of parquetSchema(metadata).children) {
    const { name } = tree.element;
    try {
      read.push({ name, part: columnPart(tree, problems) });
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      issues.push(`column ${JSON.stringify(name)} is left out: ${error.message}`);
    }
  }
  if (read.length === 0)
    throw new FileFault('NoColumnsFound', issues[0] ?? 'the file describes none');
  const names = propertyNamesOf(read.map(({ name }) => name));
  const columns = read.map(({ part }, index) => ({
    part,
    property: propertyOf(names[index] ?? '', part.type, { nullable: part.nullable }),
  }));
  return { columns, issues };
};

async function* records(groups: RowGroups): AsyncGenerator<readonly FileRecord[]> {
  try {
    yield* groups.batches();
  } catch (error) {
    throw damaged(error);
  }
}

const tableOf = async (
  file: SpooledFile,
  { columns: wanted }: Pick<TableWanted, 'columns'>,
): Promise<FileTable> => {
  const metadata = await metadataOf(file);
  const problems: Problems = { first: undefined };
  const { columns, issues } = columnsOf(metadata, problems);
  const read = columns.filter(({ property }) => wanted?.has(property.name) !== false);
  return {
    schema: schemaOf(columns.map(({ property }) => property)),
    unit: 'record',
    count: metadata.row_groups.reduce((sum, { num_rows: rows }) => sum + Number(rows), 0),
    issues,
    records: records(new RowGroups(file, metadata, read, problems)),
    close: () => file.close(),
  };
};

/** Apache Parquet; columns have the types of the file. */
export const parquetFormat: FileFormat = {
  code: 'parquet',
  label: 'Parquet',
  contentType: 'application/vnd.apache.parquet',
  fileExtension: 'parquet',
  hasSheets: false,
  settings: members(),
  sheets: noSheets,
  open: async (content, wanted) => {
    const file = await content.spooled();
    try {
      return await tableOf(file, wanted);
    } catch (error) {
      await file.close();
      throw damaged(error);
    }
  },
  writer: parquetWriter,
};
