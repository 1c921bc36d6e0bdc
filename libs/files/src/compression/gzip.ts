import { pipeline, Readable } from 'node:stream';
import { types } from 'node:util';
import { createGunzip } from 'node:zlib';
import { FileFault } from '../content/file-fault';

/** The message of zlib for content that does not begin like gzip. */
const NO_HEADER = 'incorrect header check';

/** Codes of zlib for content that is not of the format; what else is thrown comes from the storage. */
const isZlibError = (error: unknown): boolean =>
  types.isNativeError(error) && 'code' in error && String(error.code).startsWith('Z_');

/**
 * The content of a gzip file of any number of members.
 *
 * @throws FileFault InvalidFile when it is not gzip, damaged or cut off.
 */
export async function* gunzipped(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = Readable.from(bytes, { objectMode: false });
  const gunzip = createGunzip({ chunkSize: 65_536 });
  pipeline(source, gunzip, () => undefined);
  let isEmpty = true;
  try {
    for await (const chunk of gunzip) {
      isEmpty = false;
      yield chunk as Uint8Array;
    }
  } catch (error) {
    if (!isZlibError(error)) throw error;
    const message =
      isEmpty && (error as Error).message === NO_HEADER
        ? 'is not compressed with gzip'
        : 'is cut off, or damaged: the gzip data cannot be decompressed';
    throw new FileFault('InvalidFile', message, { cause: error });
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}
