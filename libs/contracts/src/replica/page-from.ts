import { isIdForm } from '../ids';
import { Refusal } from '../refusals';

/** Characters of the texts of one answer. */
export const MAX_PAGE_LENGTH = 900_000;

/** @throws Refusal BadRequest for a cursor that no list has answered. */
export const checkCursor = (cursor: string): void => {
  if (cursor === '' || isIdForm(cursor)) return;
  const details = [{ path: '/cursor', message: 'must be a cursor that a list has answered' }];
  throw new Refusal('BadRequest', { details });
};

/**
 * A page of items, and where the list goes on: empty when it does not. It ends before the limit where its texts would
 * grow too long for an answer, but holds one item at least. Of what follows it, only one item is looked at.
 *
 * @param lengthOf characters of the texts of an item.
 */
export const pageFrom = <T extends { readonly id: string }>(
  items: Iterable<T>,
  limit: number,
  lengthOf: (item: T) => number = () => 0,
): { readonly page: readonly T[]; readonly cursor: string } => {
  const page: T[] = [];
  let length = 0;
  for (const item of items) {
    length += lengthOf(item);
    const isFull = page.length >= limit || length > MAX_PAGE_LENGTH;
    if (isFull && page.length > 0) return { page, cursor: page.at(-1)?.id ?? '' };
    page.push(item);
  }
  return { page, cursor: '' };
};
