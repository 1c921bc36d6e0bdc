import type { FileStorage, Settings, StorageContext } from '@penstock/connectors';
import {
  type ImportSource,
  type Instant,
  instant,
  type RecordColumns,
  type RunPosition,
} from '@penstock/contracts';
import {
  COMPRESSIONS,
  FILE_FORMATS,
  FileFault,
  type FileTable,
  openTable,
  type ReadingOptions,
  type StoredFile,
} from '@penstock/files';
import { checkedBy } from '@penstock/settings';
import { parseJson, type Schema } from '@penstock/schema';
import { Away } from '../engine/away';
import type {
  Extent,
  ReadingWanted,
  RecordReading,
  RecordSource,
  SourcePage,
} from '../engine/record-source';
import { WholeRunError } from '../engine/whole-run-error';
import { columnReader, columnsWanted } from './column-reader';
import { withDeadline } from './with-deadline';

/** A file of a storage. */
export interface FileSourceOptions {
  readonly storage: FileStorage;
  readonly settings: Settings;
  readonly context: Omit<StorageContext, 'signal'>;
  readonly file: Extract<ImportSource, { kind: 'file' }>;
  /** Where files are kept that cannot be read from front to back. */
  readonly spool: ReadingOptions['spool'];
  /** Milliseconds until the storage has to have opened the file. */
  readonly deadlineMs: number;
}

/** What tells a file from a later one of the same name. */
interface FileIdentity {
  readonly size: number | null;
  readonly modifiedAt: Instant | null;
  readonly tag: string | null;
}

const identityOf = ({ size, modifiedAt, tag }: StoredFile): FileIdentity => ({
  size: size ?? null,
  modifiedAt: modifiedAt === undefined ? null : instant(modifiedAt),
  tag: tag ?? null,
});

/** A storage that says nothing of a file may give another one each time. */
const isKnown = ({ size, modifiedAt, tag }: FileIdentity): boolean =>
  tag !== null || (size !== null && modifiedAt !== null);

/** @returns why reading cannot go on at the position; `null`: it can, or begins at the start anyway. */
const whyRestarted = (from: RunPosition, now: FileIdentity): string | null => {
  if (from.kind === 'start') return null;
  const isSame =
    from.kind === 'record' &&
    from.size === now.size &&
    from.modifiedAt === now.modifiedAt &&
    from.tag === now.tag;
  if (isSame && isKnown(now)) return null;
  return isSame ? 'the storage does not say whether the file is the same' : 'the file was changed';
};

/** Formats that are read from front to back, so that what was read of the file tells how far the reading is. */
const STREAMED: ReadonlySet<string> = new Set(['csv', 'json']);

const isStreamed = ({ format, compression }: FileSourceOptions['file']): boolean =>
  STREAMED.has(format) && compression !== 'Zip';

/** The file, and which part of its bytes was read. */
const countedBytes = (file: StoredFile) => {
  const { size, bytes } = file;
  let read = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      read += chunk.length;
      yield chunk;
    }
  }
  const share = (): number | null =>
    size === undefined || size === 0 ? null : Math.min(1, read / size);
  return { file: { ...file, bytes: counted(), close: () => file.close() }, share };
};

const asRunError = (error: unknown): unknown => {
  if (!(error instanceof FileFault)) return error;
  const { kind, message } = error;
  if (kind === 'Unavailable') return new Away(message, undefined, { cause: error });
  return new WholeRunError('Receive', kind, message, { cause: error });
};

/** The records of a file. A place is the number of records that were read, with what tells the file from a later one. */
export class FileRecords implements RecordSource {
  constructor(private readonly options: FileSourceOptions) {}

  async open({ from, schema, signal }: ReadingWanted): Promise<RecordReading> {
    const { storage, settings, context, file, deadlineMs } = this.options;
    try {
      const stored = await withDeadline(
        deadlineMs,
        signal,
        () => storage.open(file.path, settings, { ...context, signal }),
        (late) => late.close(),
      );
      const identity = identityOf(stored);
      const counted = countedBytes(stored);
      const table = await this.table(counted.file, schema, signal);
      const restarted = whyRestarted(from, identity);
      const first = from.kind === 'record' && restarted === null ? from.record : 0;
      return {
        schema: table.schema,
        warnings: table.issues,
        restarted,
        pages: pagesOf(table, file.columns, { ...identity, first }, () => ({
          total: table.count ?? null,
          share: isStreamed(file) ? counted.share() : null,
        })),
        close: () => table.close(),
      };
    } catch (error) {
      signal.throwIfAborted();
      throw asRunError(error);
    }
  }

  private table(stored: StoredFile, schema: Schema, signal: AbortSignal) {
    const { file, spool } = this.options;
    const format = FILE_FORMATS.find(({ code }) => code === file.format);
    const compression = COMPRESSIONS.find((each) => each === file.compression);
    if (format === undefined || compression === undefined)
      throw new WholeRunError('Receive', 'FormatNotExist', 'format does not exist');
    return openTable(
      stored,
      { format, compression, options: { spool, signal } },
      {
        sheet: file.sheet ?? undefined,
        columns: columnsWanted(schema, file.columns),
        settings: checkedBy(format.settings)(parseJson(file.formatSettings)),
      },
    );
  }
}

async function* pagesOf(
  table: FileTable,
  columns: RecordColumns,
  { first, ...identity }: FileIdentity & { readonly first: number },
  extent: () => Extent,
): AsyncGenerator<SourcePage> {
  const read = columnReader(columns, table.schema, 'file', table.unit);
  let number = 0;
  try {
    for await (const records of table.records) {
      const skipped = Math.min(records.length, Math.max(0, first - number));
      const start = number + skipped;
      number += records.length;
      const rest = records.slice(skipped);
      const positionAfter = (count: number): RunPosition => ({
        ...{ kind: 'record', record: start + count },
        ...identity,
      });
      if (rest.length > 0) yield { records: rest.map(read), positionAfter, extent: extent() };
    }
  } catch (error) {
    throw asRunError(error);
  }
}
