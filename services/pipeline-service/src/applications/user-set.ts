import type { ApplicationUser, UserPage } from '@penstock/connectors';
import type { JsonString } from '@penstock/contracts';
import type { RecordCodec, RecordValue } from '@penstock/schema';
import { fitting, MAX_SEALED_BYTES } from '../read-model/fitting';
import type { UserPosition } from './user-position';

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

interface Written {
  readonly index: number;
  readonly text: JsonString;
}

function* written(
  users: readonly ApplicationUser[],
  offset: number,
  { matches, codec }: Wanted,
): Generator<Written> {
  for (const [index, { values }] of users.entries())
    if (index >= offset && matches(values)) yield { index, text: codec.encode(values) };
}

/** The users of a page from a position on that match, as many as fit into an answer. */
export const userSet = (
  { users, next }: UserPage,
  { page, offset }: UserPosition,
  wanted: Wanted,
): UserSet => {
  const { items, rest } = fitting(
    written(users, offset, wanted),
    ({ text }) => text,
    MAX_SEALED_BYTES,
  );
  const following = next === null ? null : { page: next, offset: 0 };
  return {
    users: items.map(({ text }) => text),
    next: rest === undefined ? following : { page, offset: rest.index },
  };
};
