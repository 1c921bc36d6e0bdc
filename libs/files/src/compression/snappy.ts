import { snappyUncompress } from 'hyparquet';
import { ByteReader } from '../content/byte-reader';
import { FileFault } from '../content/file-fault';
import { crc32c } from './crc32c';
import {
  COMPRESSED,
  HEAD_BYTES,
  IDENTIFIER,
  masked,
  MAX_BLOCK,
  NAME,
  UNCOMPRESSED,
} from './snappy-framing';

/** From this type on, up to that of the identifier, chunks may be passed over. */
const FIRST_SKIPPABLE = 0x80;
const CRC_BYTES = 4;
/** Bytes of a length of at most {@link MAX_BLOCK}. */
const MAX_LENGTH_BYTES = 3;

const fault = (message: string): FileFault => new FileFault('InvalidFile', message);
const damaged = (): FileFault => fault('is damaged: the Snappy data cannot be decompressed');

/** The length at the beginning of a block. */
const lengthOf = (block: Uint8Array): number => {
  let length = 0;
  for (let index = 0; index < MAX_LENGTH_BYTES; index += 1) {
    const byte = block[index] ?? 0xff;
    length |= (byte & 0x7f) << (7 * index);
    if (byte < 0x80) return length;
  }
  throw damaged();
};

const decompressed = (block: Uint8Array): Uint8Array => {
  const length = lengthOf(block);
  if (length > MAX_BLOCK) throw damaged();
  const output = new Uint8Array(length);
  try {
    snappyUncompress(block, output);
  } catch (cause) {
    throw new FileFault('InvalidFile', damaged().message, { cause });
  }
  return output;
};

/** @returns undefined for a chunk without data. */
const dataOf = (type: number, body: Uint8Array): Uint8Array | undefined => {
  if (type === IDENTIFIER) {
    if (Buffer.from(body).toString('latin1') !== NAME) throw damaged();
    return undefined;
  }
  if (type >= FIRST_SKIPPABLE) return undefined;
  if (type > UNCOMPRESSED) throw fault('has Snappy chunks of an unknown type');
  if (body.length < CRC_BYTES) throw damaged();
  const rest = body.subarray(CRC_BYTES);
  const data = type === COMPRESSED ? decompressed(rest) : rest;
  const crc = new DataView(body.buffer, body.byteOffset).getUint32(0, true);
  if (data.length > MAX_BLOCK || masked(crc32c(data)) !== crc) throw damaged();
  return data;
};

/**
 * The content of a file in the framing format of Snappy.
 *
 * @throws FileFault InvalidFile when it is not of the format, damaged or cut off.
 */
export async function* unsnappied(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = new ByteReader(bytes);
  let isFirst = true;
  try {
    for (;;) {
      const head = await reader.read(HEAD_BYTES);
      if (head.length === 0 && !isFirst) return;
      const [type = 0, low = 0, middle = 0, high = 0] = head;
      if (isFirst && type !== IDENTIFIER)
        throw fault('is not compressed in the framing format of Snappy');
      if (head.length < HEAD_BYTES) throw fault('is cut off');
      const length = low | (middle << 8) | (high << 16);
      const body = await reader.read(length);
      if (body.length < length) throw fault('is cut off');
      isFirst = false;
      const data = dataOf(type, body);
      if (data !== undefined && data.length > 0) yield data;
    }
  } finally {
    await reader.close();
  }
}
