import { FileFault } from '@penstock/files';

const MIB = 1_048_576;

/** Bytes of the first parts, and after how many parts they grow by as much again. */
const PART_BYTES = 8 * MIB;
const GROWS_AFTER = 1_000;
/** Source: Amazon S3, multipart upload limits. */
const MAX_PARTS = 10_000;

/** Bytes of a part, by its number from 1: 10,000 parts hold 429 GiB, and none takes more than 80 MiB of memory. */
export const partBytes = (number: number, base = PART_BYTES): number =>
  base * (1 + Math.floor((number - 1) / GROWS_AFTER));

/** A part of a content. */
export interface Part {
  /** From 1. */
  readonly number: number;
  readonly bytes: Buffer;
  /** Whether no other follows. */
  readonly isLast: boolean;
}

/**
 * Cuts a content into parts; one without bytes has one.
 *
 * @param base bytes of the first parts; default 8 MiB.
 * @throws FileFault Unavailable when there are too many; what the bytes throw.
 */
export async function* partsOf(
  bytes: AsyncIterable<Uint8Array>,
  base = PART_BYTES,
): AsyncGenerator<Part> {
  let number = 1;
  let part = Buffer.allocUnsafeSlow(partBytes(number, base));
  let size = 0;
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length;) {
      if (size === part.length) {
        yield { number, bytes: part, isLast: false };
        if ((number += 1) > MAX_PARTS)
          throw new FileFault('Unavailable', 'is too large to be written to a bucket');
        part = Buffer.allocUnsafeSlow(partBytes(number, base));
        size = 0;
      }
      const piece = chunk.subarray(at, at + part.length - size);
      part.set(piece, size);
      size += piece.length;
      at += piece.length;
    }
  }
  yield { number, bytes: part.subarray(0, size), isLast: true };
}
