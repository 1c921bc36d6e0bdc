import type { Cell, SnowflakeSession } from '@penstock/databases';
import { WarehouseFault } from '../../platform/warehouse';
import type { Row, Selection } from './rows';

const MIB = 1_048_576;

/** What a server may send in answer to one read, in MiB. What is asked for takes less than 2. */
const MAX_ANSWER_MIB = 8;

/** What a cell takes beside its text. */
const CELL_BYTES = 8;

const rowOf = (names: readonly string[], cells: readonly (Cell | null)[]): Row =>
  Object.fromEntries(names.map((name, at) => [name, cells[at] ?? null]));

/**
 * The rows that a statement gives, as they come. Whoever ends early leaves what has not come.
 *
 * @throws whatever the server says.
 */
export async function* rowsFrom(
  session: SnowflakeSession,
  { sql, names }: Selection,
): AsyncGenerator<Row> {
  const { stream } = await session.run(sql);
  try {
    for await (const cells of stream as AsyncIterable<readonly (Cell | null)[]>)
      yield rowOf(names, cells);
  } finally {
    stream.destroy();
  }
}

/** Bytes of a row, but for those that single characters have beyond the first one. */
export const bytesOf = (row: Row): number =>
  Object.values(row).reduce((sum, cell) => sum + CELL_BYTES + (cell?.length ?? 0), 0);

/** All rows that a statement gives. @throws WarehouseFault `unusable` for more than is held in memory */
export const readRows = async (
  session: SnowflakeSession,
  selection: Selection,
): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  let bytes = 0;
  for await (const row of rowsFrom(session, selection)) {
    bytes += bytesOf(row);
    if (bytes > MAX_ANSWER_MIB * MIB)
      throw new WarehouseFault(
        'unusable',
        `it answers with more than ${String(MAX_ANSWER_MIB)} MiB`,
      );
    rows.push(row);
  }
  return rows;
};
