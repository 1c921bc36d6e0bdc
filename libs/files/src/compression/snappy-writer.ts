import { snappyCompress } from 'hyparquet-writer/src/snappy.js';
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

const CRC_BYTES = 4;

const chunkOf = (type: number, parts: readonly Uint8Array[]): Buffer => {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(type, 0);
  head.writeUIntLE(length, 1, 3);
  return Buffer.concat([head, ...parts]);
};

/** A block is stored as it is where compressing saves less than an eighth. Source: the reference implementation. */
const blockOf = (block: Uint8Array): Buffer => {
  const crc = Buffer.alloc(CRC_BYTES);
  crc.writeUInt32LE(masked(crc32c(block)), 0);
  const compressed = snappyCompress(block);
  return compressed.length < block.length - block.length / 8
    ? chunkOf(COMPRESSED, [crc, compressed])
    : chunkOf(UNCOMPRESSED, [crc, block]);
};

/** The bytes in the framing format of Snappy. */
export async function* snappied(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield chunkOf(IDENTIFIER, [Buffer.from(NAME)]);
  let rest: Uint8Array = new Uint8Array();
  for await (const chunk of bytes) {
    let given = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (given.length >= MAX_BLOCK) {
      yield blockOf(given.subarray(0, MAX_BLOCK));
      given = given.subarray(MAX_BLOCK);
    }
    // The chunk may be used again by whoever made it.
    rest = Uint8Array.from(given);
  }
  if (rest.length > 0) yield blockOf(rest);
}
