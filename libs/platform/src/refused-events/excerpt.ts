import { MAX_EXCERPT_BYTES } from '@penstock/contracts';

/** Whether the byte begins a character of UTF-8. */
const isFirst = (byte: number | undefined): boolean => byte === undefined || (byte & 0xc0) !== 0x80;

/** The beginning of a text that is recorded of a refused event: whole characters, at most 2,048 bytes. */
export const excerptOf = (
  bytes: Buffer,
  start = 0,
  length = bytes.length,
): { readonly excerpt: string; readonly isCut: boolean } => {
  const isCut = length > MAX_EXCERPT_BYTES;
  let end = start + Math.min(length, MAX_EXCERPT_BYTES);
  while (isCut && !isFirst(bytes[end])) end -= 1;
  return { excerpt: bytes.toString('utf8', start, end), isCut };
};
