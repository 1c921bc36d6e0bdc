import type { WorkspaceId } from '@penstock/contracts';
import { SealBroken, type Seals } from '@penstock/runtime';
import { noCursor } from '../read-model/no-cursor';

/** Source: the specification of the warehouse, "Reading": a cursor is valid for 24 hours. */
const VALID_MS = 86_400_000;

const FORM = /^(\d+) (.*)$/s;

/** Of which list a cursor is, in which workspace. */
export interface CursorList {
  readonly workspace: WorkspaceId;
  readonly name: string;
}

const contextOf = ({ workspace, name }: CursorList): string => `${workspace}/cursor/${name}`;

/** Whether nothing was changed in the last character that the decoding would not notice. */
const isCanonical = (cursor: string): boolean => {
  const encoded = cursor.slice(cursor.lastIndexOf(':') + 1);
  return Buffer.from(encoded, 'base64url').toString('base64url') === encoded;
};

const opened = (seals: Seals, list: CursorList, cursor: string): string => {
  if (!isCanonical(cursor)) throw noCursor();
  try {
    return seals.open(cursor, list.workspace, contextOf(list));
  } catch (error) {
    throw error instanceof SealBroken ? noCursor() : error;
  }
};

/** A cursor that stands for a place in a list. @param now milliseconds since 1970. */
export const cursorAt = (
  seals: Seals,
  list: CursorList,
  place: string,
  now: number = Date.now(),
): string => seals.seal(`${String(now)} ${place}`, list.workspace, contextOf(list));

/**
 * The place that a cursor stands for.
 *
 * @param now milliseconds since 1970.
 * @throws Refusal BadRequest for one of another list or workspace, one that was changed, and one that is not valid any more.
 */
export const placeOf = (
  seals: Seals,
  list: CursorList,
  cursor: string,
  now: number = Date.now(),
): string => {
  const [, madeAt = '', place = ''] = FORM.exec(opened(seals, list, cursor)) ?? [];
  if (Number(madeAt) + VALID_MS < now) throw noCursor();
  return place;
};
