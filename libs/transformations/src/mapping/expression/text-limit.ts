import { Fault } from './fault';

/** 1 MiB of UTF-8. */
export const MAX_TEXT_BYTES = 1_048_576;

/** Maximal bytes of a UTF-16 unit in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;

/** Returns the text. @throws Fault when it is longer than {@link MAX_TEXT_BYTES}. */
export const limited = (text: string): string => {
  if (text.length * MAX_BYTES_PER_UNIT <= MAX_TEXT_BYTES) return text;
  if (text.length <= MAX_TEXT_BYTES && Buffer.byteLength(text) <= MAX_TEXT_BYTES) return text;
  throw new Fault('the text is longer than 1 MiB', text);
};
