import { types } from 'node:util';
import { createGunzip, type Gunzip } from 'node:zlib';
import { FileFault } from '../content/file-fault';

/** The message of zlib for content that does not begin like gzip. */
const NO_HEADER = 'incorrect header check';

/** Codes of zlib for content that is not of the format; what else is thrown comes from the storage. */
const isZlibError = (error: unknown): boolean =>
  types.isNativeError(error) && 'code' in error && String(error.code).startsWith('Z_');

/** Where the last byte stands that is not zero, from 1; 0: all are. */
const lengthWithoutZeros = (bytes: Uint8Array): number => {
  let length = bytes.length;
  while (length > 0 && bytes[length - 1] === 0) length -= 1;
  return length;
};

/**
 * Gives gunzip the bytes. It ends by itself at a zero behind a member; what follows is looked at here.
 *
 * @throws FileFault InvalidFile when something else than zeros follows; what the bytes throw.
 */
const feed = async (bytes: AsyncIterable<Uint8Array>, gunzip: Gunzip): Promise<void> => {
  let given = 0;
  let lengthOfContent = 0;
  let goOn = (): void => undefined;
  // Nobody is told of a write that is under way when it is destroyed.
  gunzip.once('close', () => {
    goOn();
  });
  for await (const chunk of bytes) {
    const hasEnded = gunzip.bytesWritten < given;
    const length = lengthWithoutZeros(chunk);
    if (length > 0) lengthOfContent = given + length;
    given += chunk.length;
    if (!hasEnded)
      await new Promise<void>((resolve) => {
        goOn = resolve;
        gunzip.write(chunk, () => {
          resolve();
        });
      });
    if (gunzip.destroyed && !gunzip.readableEnded) return;
    if (lengthOfContent > gunzip.bytesWritten)
      throw new FileFault('InvalidFile', 'goes on after the end of the gzip data');
  }
  gunzip.end();
};

/**
 * The content of a gzip file of any number of members, behind which zeros may stand.
 *
 * @throws FileFault InvalidFile when it is not gzip, damaged or cut off, or goes on with something else.
 */
export async function* gunzipped(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: 65_536 });
  const feeding = feed(bytes, gunzip);
  feeding.catch((error: unknown) => gunzip.destroy(error as Error));
  let isEmpty = true;
  try {
    for await (const chunk of gunzip) {
      isEmpty = false;
      yield chunk as Uint8Array;
    }
    await feeding;
  } catch (error) {
    if (!isZlibError(error)) throw error;
    const message =
      isEmpty && (error as Error).message === NO_HEADER
        ? 'is not compressed with gzip'
        : 'is cut off, or damaged: the gzip data cannot be decompressed';
    throw new FileFault('InvalidFile', message, { cause: error });
  } finally {
    gunzip.destroy();
  }
}
