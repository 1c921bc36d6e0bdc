const SEED = 0x9747b28c;
const M = 0x5bd1e995;

type ByteAt = (index: number) => number;

/** Computes the 32-bit murmur2 of Kafka's Java client over `length` bytes. */
const murmur2 = (length: number, byteAt: ByteAt): number => {
  const tail = length & ~3;
  let hash = SEED ^ length;
  for (let index = 0; index < tail; index += 4) {
    let word =
      byteAt(index) |
      (byteAt(index + 1) << 8) |
      (byteAt(index + 2) << 16) |
      (byteAt(index + 3) << 24);
    word = Math.imul(word, M);
    word ^= word >>> 24;
    hash = Math.imul(hash, M) ^ Math.imul(word, M);
  }
  const rest = length - tail;
  if (rest === 3) hash ^= byteAt(tail + 2) << 16;
  if (rest >= 2) hash ^= byteAt(tail + 1) << 8;
  if (rest >= 1) hash = Math.imul(hash ^ byteAt(tail), M);
  hash = Math.imul(hash ^ (hash >>> 13), M);
  return hash ^ (hash >>> 15);
};

const isAscii = (text: string): boolean => {
  for (let index = 0; index < text.length; index += 1)
    if (text.charCodeAt(index) > 0x7f) return false;
  return true;
};

const hashOf = (key: string): number => {
  if (isAscii(key)) return murmur2(key.length, (index) => key.charCodeAt(index));
  const bytes = Buffer.from(key, 'utf8');
  return murmur2(bytes.length, (index) => bytes[index] ?? 0);
};

/**
 * Returns the partition of a key by murmur2, as Kafka's own clients do, so that all writers agree.
 *
 * Source: Kafka's `BuiltInPartitioner.partitionForKey` and `Utils.murmur2`.
 *
 * @param partitions an integer, 1 or more.
 * @returns 0 to `partitions` - 1.
 */
export const partitionOf = (key: string, partitions: number): number =>
  (hashOf(key) & 0x7fffffff) % partitions;
