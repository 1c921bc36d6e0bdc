import type { NewMessage } from '../message-log';

/** What a record costs in a batch and in memory beyond its texts. */
const FRAME_BYTES = 64;

/** What a message takes of the buffer and of a request. */
export const messageBytes = ({ key, value }: NewMessage): number =>
  FRAME_BYTES + Buffer.byteLength(key) + (value === null ? 0 : Buffer.byteLength(value));
