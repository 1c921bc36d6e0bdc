import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';

/** A file that is to be in a Zip file. */
export interface ZipEntry {
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/**
 * A Zip file with these files, as a stream. Sizes are written behind the contents, so that each may have any.
 *
 * @param at time of all files.
 */
export async function* zipped(entries: readonly ZipEntry[], at: Date): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  // What an entry throws ends the whole, which the library leaves to its user.
  const fail = (error: Error): void => {
    output.destroy(error);
  };
  const sources: Readable[] = [];
  zip.on('error', fail);
  for (const { name, bytes } of entries)
    zip.addReadStreamLazy(name, { mtime: at, mode: 0o100_644 }, (give) => {
      const source = Readable.from(bytes, { objectMode: false }).on('error', fail);
      sources.push(source);
      give(null, source);
    });
  zip.end();
  try {
    for await (const chunk of output) yield chunk as Uint8Array;
  } finally {
    for (const source of sources) source.destroy();
  }
}
