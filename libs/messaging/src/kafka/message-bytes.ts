import type { NewMessage } from '../message-log';

/** Bytes of a record, in a batch and in memory, besides its texts. */
const FRAME_BYTES = 64;

/** Returns the bytes that a message takes of the buffer and of a request. */
export const messageBytes = ({ key, value }: NewMessage): number =>
  FRAME_BYTES + Buffer.byteLength(key) + (value === null ? 0 : Buffer.byteLength(value));
