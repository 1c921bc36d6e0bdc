import { isIdForm, Refusal } from '@penstock/contracts';
import { type FindOperator, LessThan } from 'typeorm';
import { fitting } from './fitting';

interface Item {
  readonly id: string;
}

/** @throws Refusal BadRequest for a cursor that no list has answered. */
const checkCursor = (cursor: string): void => {
  if (cursor === '' || isIdForm(cursor)) return;
  const details = [{ path: '/cursor', message: 'must be a cursor that a list has answered' }];
  throw new Refusal('BadRequest', { details });
};

/**
 * Where a list goes on. Lists are newest first; ids sort by time.
 *
 * @throws Refusal BadRequest
 */
export const before = (cursor: string): { id?: FindOperator<string> } => {
  checkCursor(cursor);
  return cursor === '' ? {} : { id: LessThan(cursor) };
};

/** What was found with one more than the limit: the page, and where the list goes on. */
export const pageOf = <T extends Item>(
  found: readonly T[],
  limit: number,
): { readonly page: readonly T[]; readonly cursor: string } => {
  const page = found.slice(0, limit);
  return { page, cursor: found.length > limit ? (page.at(-1)?.id ?? '') : '' };
};

/** The same for a list that is in memory as a whole, in any order. @throws Refusal BadRequest */
export const pageIn = <T extends Item>(
  items: readonly T[],
  { limit, cursor }: { readonly limit: number; readonly cursor: string },
): { readonly page: readonly T[]; readonly cursor: string } => {
  checkCursor(cursor);
  const newestFirst = [...items].sort((one, other) => (one.id < other.id ? 1 : -1));
  const from = newestFirst.filter(({ id }) => cursor === '' || id < cursor);
  return pageOf(from, limit);
};

/** What of a page fits into an answer, and where the list goes on then. */
export const fittingPage = <T extends Item>(
  views: readonly T[],
  cursor: string,
): { readonly page: readonly T[]; readonly cursor: string } => {
  const { items, rest } = fitting(views);
  return { page: items, cursor: rest === undefined ? cursor : (items.at(-1)?.id ?? '') };
};
