import type { ApplicationUser, UserPage } from '@penstock/connectors';
import type { JsonString } from '@penstock/contracts';
import type { RecordCodec, RecordValue } from '@penstock/schema';
import { fitting, MAX_SEALED_BYTES } from '../read-model/fitting';
import type { UserPosition } from './user-position';

export interface UserSet {
  readonly users: readonly JsonString[];
  /** `null` on the last page. */
  readonly next: UserPosition | null;
}

export interface Wanted {
  readonly matches: (user: RecordValue) => boolean;
  /** Of the requested schema. */
  readonly codec: RecordCodec;
}

interface EncodedUser {
  readonly index: number;
  readonly text: JsonString;
}

function* encoded(
  users: readonly ApplicationUser[],
  offset: number,
  { matches, codec }: Wanted,
): Generator<EncodedUser> {
  for (const [index, { values }] of users.entries())
    if (index >= offset && matches(values)) yield { index, text: codec.encode(values) };
}

/** The matching users of a page from a position on, as many as fit into an answer. */
export const userSet = (
  { users, next }: UserPage,
  { page, offset }: UserPosition,
  wanted: Wanted,
): UserSet => {
  const { items, rest } = fitting(
    encoded(users, offset, wanted),
    ({ text }) => text,
    MAX_SEALED_BYTES,
  );
  const following = next === null ? null : { page: next, offset: 0 };
  return {
    users: items.map(({ text }) => text),
    next: rest === undefined ? following : { page, offset: rest.index },
  };
};
