import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkedBy } from '@penstock/settings';
import { compileCodec, parseJson } from '@penstock/schema';
import type { Compression } from './compression/decompressed';
import type { ReadingOptions } from './content/reading-options';
import type { StoredFile } from './content/stored-file';
import type { FileFormat, FileTable } from './format/file-format';
import { FILE_FORMATS } from './formats';
import { openTable } from './open-file';

/** A folder that specs may write to, and that they leave behind empty. */
export class SpoolFolder {
  readonly folder = mkdtempSync(join(tmpdir(), 'penstock-spool-'));

  /** Names that are left. */
  get left(): readonly string[] {
    return readdirSync(this.folder);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Content in pieces, as a storage gives it. */
export async function* pieces(content: Uint8Array, length = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += length)
    yield await Promise.resolve(content.subarray(at, at + length));
}

/** A stored file, and how often it was closed. */
export const stored = (
  content: Uint8Array | string,
  length?: number,
): StoredFile & { closed: number } => {
  const bytes = Buffer.from(content);
  const file = {
    bytes: pieces(bytes, length),
    modifiedAt: new Date(0),
    size: bytes.length,
    tag: undefined,
    closed: 0,
    close: () => {
      file.closed += 1;
      return Promise.resolve();
    },
  };
  return file;
};

export const formatOf = (code: string): FileFormat => {
  const format = FILE_FORMATS.find((each) => each.code === code);
  if (format === undefined) throw new Error(`no format ${code}`);
  return format;
};

/** How a spec reads a file. */
export interface SpecReading {
  readonly settings?: object;
  readonly sheet?: string;
  readonly columns?: ReadonlySet<string>;
  readonly compression?: Compression;
  readonly length?: number;
  readonly options?: Partial<ReadingOptions>;
}

const MIB = 1_048_576;

/** Opens a file as the services do. */
export const opened = (
  code: string,
  content: Uint8Array | string,
  { settings = {}, sheet, columns, compression = '', length, options }: SpecReading = {},
): Promise<FileTable> => {
  const format = formatOf(code);
  return openTable(
    stored(content, length),
    {
      format,
      compression,
      options: { spool: { folder: tmpdir(), maxBytes: 64 * MIB }, ...options },
    },
    {
      ...{ sheet, settings: checkedBy(format.settings)(parseJson(JSON.stringify(settings))) },
      ...(columns && { columns }),
    },
  );
};

/** Everything that is in a table: records by their JSON text, errors by their row. */
export interface Everything {
  readonly properties: readonly string[];
  readonly issues: readonly string[];
  readonly records: readonly unknown[];
  readonly texts: readonly string[];
  readonly errors: readonly (readonly [row: number, error: string])[];
  /** Names of the properties that can be read of each record with an error; `null`: it has no columns. */
  readonly readable: readonly (readonly string[] | null)[];
}

export const everythingIn = async (table: FileTable): Promise<Everything> => {
  const codec = compileCodec(table.schema);
  const texts: string[] = [];
  const errors: (readonly [number, string])[] = [];
  const readable: (readonly string[] | null)[] = [];
  try {
    for await (const batch of table.records)
      for (const record of batch)
        if ('error' in record) {
          errors.push([record.row, record.error]);
          readable.push(record.readable === undefined ? null : Object.keys(record.readable));
        } else texts.push(codec.encode(record.values));
  } finally {
    await table.close();
  }
  return {
    properties: table.schema.properties.map(({ name }) => name),
    issues: table.issues,
    records: texts.map((text) => JSON.parse(text) as unknown),
    texts,
    errors,
    readable,
  };
};

export const readAll = async (...given: Parameters<typeof opened>): Promise<Everything> =>
  everythingIn(await opened(...given));
