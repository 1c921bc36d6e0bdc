import { decompressLz4, decompressLz4Raw, decompressZstd } from 'hyparquet-compressors';
import { snappyUncompress } from 'hyparquet';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

/** Undoes the compression of a page. Gives as many bytes as are expected, or throws. */
type Codec = (input: Uint8Array, length: number) => Uint8Array;

/** All codecs of the format but LZO, which nobody writes. */
const CODECS: Readonly<Record<string, Codec>> = {
  UNCOMPRESSED: (input) => input,
  SNAPPY: (input, length) => {
    const output = new Uint8Array(length);
    snappyUncompress(input, output);
    return output;
  },
  GZIP: (input, length) => gunzipSync(input, { maxOutputLength: Math.max(1, length) }),
  BROTLI: (input, length) => brotliDecompressSync(input, { maxOutputLength: Math.max(1, length) }),
  ZSTD: (input, length) => decompressZstd(input, new Uint8Array(length)),
  LZ4: (input, length) => decompressLz4(input, length),
  LZ4_RAW: (input, length) => decompressLz4Raw(input, length),
};

/** In memory of its own, where nothing is before and behind: libraries give parts of larger pieces, which they do not clear. */
const alone = (bytes: Uint8Array): Uint8Array =>
  bytes.length === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);

/** @returns the page in memory of its own. @throws Error for another codec, or bytes that are damaged. */
export const decompressPage = (codec: string, input: Uint8Array, length: number): Uint8Array => {
  const undo = CODECS[codec];
  if (undo === undefined) throw new Error(`codec ${codec} is not known`);
  const output = length === 0 ? new Uint8Array() : undo(input, length);
  if (output.length !== length) throw new Error('a page has another length than it claims');
  return alone(output);
};
