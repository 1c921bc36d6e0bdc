import { Refusal } from '@penstock/contracts';
import { type Kind, resolvePath, type Schema } from '@penstock/schema';

/** Kinds whose values have no order. */
const UNORDERED: readonly Kind[] = ['json', 'array', 'object', 'map'];

/** @throws Refusal OrderNotExist, OrderTypeNotSortable for a path by which nothing can be ordered. */
export const checkOrder = (path: string, schema: Schema): void => {
  const type = resolvePath(schema, path)?.type;
  if (type === undefined) throw new Refusal('OrderNotExist');
  if (UNORDERED.includes(type.kind)) throw new Refusal('OrderTypeNotSortable');
};
