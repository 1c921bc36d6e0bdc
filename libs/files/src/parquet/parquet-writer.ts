import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { RecordValue } from '@penstock/schema';
import { checkRecord, type FileWriter, type TableWriting } from '../format/file-writer';
import { fineTimeIn } from './fine-times';
import { type WrittenColumn, writtenColumn } from './written-column';

/** What a group of rows holds at most: rows, and bytes of their values in memory, by estimate. */
const MAX_GROUP_ROWS = 20_000;
const MAX_GROUP_BYTES = 4 * 1_048_576;
/** Bytes of a value that is no text. */
const VALUE_BYTES = 16;

/** Bytes of what a value has become, by estimate. */
const sizeOf = (stored: unknown): number => {
  if (typeof stored === 'string') return VALUE_BYTES + stored.length;
  if (stored instanceof Uint8Array) return VALUE_BYTES + stored.length;
  if (typeof stored !== 'object' || stored === null) return VALUE_BYTES;
  let size = VALUE_BYTES;
  for (const each of Object.values(stored)) size += sizeOf(each);
  return size;
};

/** Gathers rows by columns, and writes them a group at a time. */
class Groups {
  private readonly bytes = new ByteWriter();
  private readonly writer: ParquetWriter;
  private rows = 0;
  private size = 0;
  private data: unknown[][];

  constructor(
    private readonly names: readonly string[],
    private readonly columns: readonly WrittenColumn[],
  ) {
    this.data = columns.map(() => []);
    this.writer = new ParquetWriter({
      writer: this.bytes,
      schema: [
        { name: 'schema', num_children: columns.length },
        ...columns.flatMap(({ elements }) => elements),
      ],
      codec: 'SNAPPY',
      statistics: false,
      createdBy: 'penstock',
    });
  }

  /** @returns whether the group is full. */
  add(record: RecordValue): boolean {
    this.columns.forEach(({ convert }, index) => {
      const value = record[this.names[index] ?? ''] ?? null;
      const stored = value === null ? null : convert(value);
      this.data[index]?.push(stored);
      this.size += sizeOf(stored);
    });
    this.rows += 1;
    return this.rows >= MAX_GROUP_ROWS || this.size >= MAX_GROUP_BYTES;
  }

  /** @returns the bytes of the group, and of what came before it. */
  write(): Uint8Array {
    if (this.rows > 0)
      void this.writer.write({
        columnData: this.names.map((name, index) => ({
          name,
          data: this.data[index] ?? [],
          offsetIndex: false,
        })),
        rowGroupSize: this.rows,
      });
    this.data = this.columns.map(() => []);
    this.rows = 0;
    this.size = 0;
    return this.take();
  }

  /** @returns the end of the file. */
  finish(): Uint8Array {
    void this.writer.finish();
    return this.take();
  }

  /** What has been written and not been taken. The places of later bytes count on from there. */
  private take(): Uint8Array {
    const taken = Uint8Array.from(this.bytes.getBytes());
    this.bytes.index = 0;
    return taken;
  }
}

/** Writes Parquet files, compressed with Snappy by page; every column may be null. */
export const parquetWriter = ({ schema }: TableWriting): FileWriter => {
  const names = schema.properties.map(({ name }) => name);
  const fineTime = fineTimeIn(schema);
  const writer: FileWriter = {
    problemOf: (record) => {
      const name = fineTime(record);
      return name === undefined ? undefined : `${name} is finer than a microsecond`;
    },
    write: async function* (records) {
      const groups = new Groups(names, schema.properties.map(writtenColumn));
      let number = 0;
      for await (const batch of records)
        for (const record of batch) {
          checkRecord(writer, record, (number += 1));
          if (groups.add(record)) yield groups.write();
        }
      yield groups.write();
      yield groups.finish();
    },
  };
  return writer;
};
