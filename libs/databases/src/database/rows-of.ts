import type { DatabaseRecord, DatabaseRows } from './database';
import type { DatabaseFault } from './database-fault';
import type { ReadColumns } from './read-columns';
import { BadValue } from './source-column';

/** A row as the driver gives it, or why it cannot be read. */
type Raw<Cell> = readonly (Cell | null)[] | BadValue;

/** What a statement under way gives. */
export interface RunningStatement<Cell> {
  readonly columns: ReadColumns<Cell>;
  /** Names of the properties that are read; absent: all. */
  readonly wanted?: ReadonlySet<string> | undefined;
  /** Rejects with what the driver rejects with. */
  readonly batches: AsyncIterable<readonly Raw<Cell>[]>;
  readonly faultOf: (error: unknown) => DatabaseFault;
  readonly close: () => Promise<void>;
}

async function* records<Cell>({
  columns,
  wanted,
  batches,
  faultOf,
  close,
}: RunningStatement<Cell>): AsyncGenerator<readonly DatabaseRecord[]> {
  const read = columns.recordReader(wanted);
  let row = 0;
  try {
    for await (const batch of batches)
      yield batch.map((raw) => {
        row += 1;
        return raw instanceof BadValue ? { row, error: raw.message } : read(row, raw);
      });
  } catch (error) {
    throw faultOf(error);
  } finally {
    await close();
  }
}

/** The rows of a statement that runs, as records. */
export const rowsOf = <Cell>(running: RunningStatement<Cell>): DatabaseRows => ({
  schema: running.columns.schema,
  issues: running.columns.issues,
  records: records(running),
  close: running.close,
});
