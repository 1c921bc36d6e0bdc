import type { UserPage } from '@penstock/connectors';
import type { JsonString } from '@penstock/contracts';
import type { RecordCodec, RecordValue } from '@penstock/schema';
import type { UserPosition } from './user-position';

/** Bytes of the users of one answer, as they stand in a message of the log: it must fit into one. */
export const MAX_SET_BYTES = 750_000;

export interface UserSet {
  readonly users: readonly JsonString[];
  /** `null`: there is nothing more. */
  readonly next: UserPosition | null;
}

export interface Wanted {
  readonly matches: (user: RecordValue) => boolean;
  /** Of the schema that was asked for. */
  readonly codec: RecordCodec;
}

const bytesOf = (text: string): number => Buffer.byteLength(JSON.stringify(text)) + 1;

/** The users of a page from a position on that match, as many as fit into an answer; one always does. */
export const userSet = (
  { users, next }: UserPage,
  { page, offset }: UserPosition,
  { matches, codec }: Wanted,
): UserSet => {
  const texts: JsonString[] = [];
  let bytes = 0;
  for (const [index, { values }] of users.entries()) {
    if (index < offset || !matches(values)) continue;
    const text = codec.encode(values);
    bytes += bytesOf(text);
    if (texts.length > 0 && bytes > MAX_SET_BYTES)
      return { users: texts, next: { page, offset: index } };
    texts.push(text);
  }
  return { users: texts, next: next === null ? null : { page: next, offset: 0 } };
};
