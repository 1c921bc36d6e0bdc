import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { zipped } from '../zip/zip-stream';
import type { Compression } from './decompressed';
import { snappied } from './snappy-writer';

/** What a Zip file says of the one file in it. */
export interface PackedFile {
  readonly name: string;
  readonly at: Date;
}

async function* gzipped(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = Readable.from(bytes, { objectMode: false });
  const gzip = createGzip();
  pipeline(source, gzip, () => undefined);
  try {
    for await (const chunk of gzip) yield chunk as Uint8Array;
  } finally {
    source.destroy();
    gzip.destroy();
  }
}

/** The bytes in a compression. What they throw is thrown. */
export const compressed = (
  bytes: AsyncIterable<Uint8Array>,
  compression: Compression,
  { name, at }: PackedFile,
): AsyncIterable<Uint8Array> => {
  switch (compression) {
    case '':
      return bytes;
    case 'Gzip':
      return gzipped(bytes);
    case 'Snappy':
      return snappied(bytes);
    case 'Zip':
      return zipped([{ name, bytes }], at);
  }
};
