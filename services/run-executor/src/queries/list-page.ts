import { Refusal } from '@penstock/contracts';

/** A page of a list, and where it goes on; `''`: nowhere. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly cursor: string;
}

/** Cuts what was read, with one more than the page has, to the page. */
export const pageOf = <T>(
  found: readonly T[],
  limit: number,
  placeOf: (item: T) => string,
): ListPage<T> => {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, cursor: items.length < found.length && last ? placeOf(last) : '' };
};

/** @throws Refusal BadRequest for a cursor that no list has answered. */
export const checkCursor = (cursor: string, form: RegExp): void => {
  if (cursor === '' || form.test(cursor)) return;
  const details = [{ path: '/cursor', message: 'must be a cursor that a list has answered' }];
  throw new Refusal('BadRequest', { details });
};
