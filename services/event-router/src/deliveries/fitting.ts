import { MAX_VALUE_BYTES } from '@penstock/messaging';

/** Bytes of all views in one answer, which is one message and, sealed, a third longer. */
const MAX_PAGE_BYTES = 0.6 * MAX_VALUE_BYTES;

/** The first items whose views fit into an answer, and at least one. */
export const fitting = <Item extends { readonly view: object }>(
  found: readonly Item[],
): readonly Item[] => {
  let bytes = 0;
  const first = found.findIndex(({ view }) => {
    bytes += Buffer.byteLength(JSON.stringify(view));
    return bytes > MAX_PAGE_BYTES;
  });
  return first === -1 ? found : found.slice(0, Math.max(1, first));
};
