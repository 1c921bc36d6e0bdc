import { type Queries, Refusal, REFUSALS } from '@penstock/contracts';
import type { StatementRows } from '@penstock/warehouses';
import { fitting, MAX_SEALED_BYTES } from '../read-model/fitting';

const tooLarge = (): Refusal =>
  new Refusal('InvalidQuery', {
    message: `${REFUSALS.InvalidQuery.message}: its first row has no room in an answer`,
  });

/**
 * As many rows of a statement as fit into an answer.
 *
 * @param maxBytes of the answer, in JSON.
 * @throws Refusal InvalidQuery when not even the first one does.
 */
export const statementAnswer = (
  { columns, rows, isCut }: StatementRows,
  maxBytes = MAX_SEALED_BYTES,
): Queries['QueryWarehouse']['out'] => {
  const room = maxBytes - Buffer.byteLength(JSON.stringify(columns));
  const { items, rest } = fitting(rows, (row) => row, room);
  const [first = ''] = items;
  if (Buffer.byteLength(JSON.stringify(first)) > room) throw tooLarge();
  return { columns, rows: items, isCut: isCut || rest !== undefined };
};
