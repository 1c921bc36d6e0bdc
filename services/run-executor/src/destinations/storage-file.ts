import {
  exportPath,
  type FileDestination,
  type Settings,
  type StorageContext,
} from '@penstock/connectors';
import type { ExportDestination, Microtime } from '@penstock/contracts';
import {
  COMPRESSIONS,
  FILE_FORMATS,
  FileFault,
  type WritableFile,
  writableFile,
} from '@penstock/files';
import { parseJson, type RecordValue, type Schema } from '@penstock/schema';
import { checkedBy } from '@penstock/settings';
import { Away } from '../engine/away';
import type { ExportedFile } from '../engine/exported-file';
import { WholeRunError } from '../engine/whole-run-error';

/** A file of a storage, which is opened with the settings that its connection has now. */
export interface StorageFileOptions {
  readonly connected: () => {
    readonly destination: FileDestination;
    readonly settings: Settings;
    readonly context: Omit<StorageContext, 'signal'>;
  };
  readonly file: Extract<ExportDestination, { kind: 'file' }>;
  /** The columns. */
  readonly schema: Schema;
  /** The start of the run. */
  readonly at: Microtime;
}

const asRunError = (error: unknown): unknown => {
  if (!(error instanceof FileFault)) return error;
  const { kind, message } = error;
  if (kind === 'Unavailable') return new Away(message, undefined, { cause: error });
  return new WholeRunError('Finalize', kind, message, { cause: error });
};

/** @throws WholeRunError for a format that is not there, or whose files cannot have the columns. */
const prepared = (
  { file, schema }: Pick<StorageFileOptions, 'file' | 'schema'>,
  at: Date,
  name: string,
): WritableFile => {
  const format = FILE_FORMATS.find(({ code }) => code === file.format);
  const compression = COMPRESSIONS.find((each) => each === file.compression);
  if (format === undefined || compression === undefined)
    throw new WholeRunError('Finalize', 'FormatNotExist', 'format does not exist');
  const settings = checkedBy(format.writingSettings ?? format.settings)(
    parseJson(file.formatSettings),
  );
  try {
    return writableFile({
      ...{ format, compression, schema, settings, packed: { name, at } },
      sheet: file.sheet ?? undefined,
    });
  } catch (error) {
    throw asRunError(error);
  }
};

const lastStepOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** What a file is called in the file that it is packed in. */
const innerName = (path: string, format: string): string => {
  const name = lastStepOf(path).replace(/\.zip$/i, '');
  return name.includes('.') ? name : `${name}.${format === 'excel' ? 'xlsx' : format}`;
};

/** The file of an export in its storage. */
export class StorageFile implements ExportedFile {
  private readonly path: string;
  private readonly file: WritableFile;

  /** @throws WholeRunError */
  constructor(private readonly options: StorageFileOptions) {
    const { file, at } = options;
    const start = new Date(at);
    this.path = exportPath(file.path, start);
    this.file = prepared(options, start, innerName(this.path, file.format));
  }

  get isRepeatable(): boolean {
    return this.options.connected().destination.isRepeatable;
  }

  problemOf(record: RecordValue): string | undefined {
    return this.file.problemOf(record);
  }

  async write(records: AsyncIterable<readonly RecordValue[]>, signal: AbortSignal): Promise<void> {
    const { destination, settings, context } = this.options.connected();
    const { contentType } = this.file;
    const bytes = this.file.bytes(records);
    try {
      await destination.write({ path: this.path, contentType, bytes }, settings, {
        ...context,
        signal,
      });
    } catch (error) {
      throw asRunError(error);
    }
  }
}
