import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Characters from which on a state is worth the time to compress it. */
const MIN_PACKED_LENGTH = 1_024;

/** A value in memory, or its JSON text compressed, one character for each byte. */
export type Packed<T extends object> = T | string;

/** @param text JSON of the value. */
export const pack = <T extends object>(value: T, text: string): Packed<T> =>
  text.length < MIN_PACKED_LENGTH ? value : deflateRawSync(text, { level: 1 }).toString('latin1');

/** What was packed; another object each time when it was compressed. */
export const unpack = <T extends object>(packed: Packed<T>): T =>
  typeof packed === 'string'
    ? (JSON.parse(inflateRawSync(Buffer.from(packed, 'latin1')).toString()) as T)
    : packed;
