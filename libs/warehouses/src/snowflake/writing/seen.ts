import type { SnowflakeSession } from '@penstock/databases';
import { FILTERED_FIRST, settledAs, type WrittenIds } from '../../merging/batch-outcomes';
import type { RunOfBatch, Settled, SettledAs } from '../../platform/warehouse-writer';
import { type Place, qualified } from '../sql/names';
import { canBeKept, listed, selectListed } from '../sql/listed';
import { wellFormed } from '../sql/well-formed';

/** What a run has settled about these record ids. */
export const readSeen = async (
  session: SnowflakeSession,
  place: Place,
  run: string,
  ids: readonly string[],
): Promise<Map<string, Settled>> => {
  const possible = ids.filter(canBeKept);
  if (possible.length === 0) return new Map();
  const rows = await session.rows(
    `SELECT s."RECORD_ID", s."OUTCOME", s."BATCH", s."UPDATED_AT_US" FROM ${qualified(place, '_SEEN')} AS s
     JOIN ${selectListed('ID')} AS g ON g.ID = s."RECORD_ID" WHERE s."RUN" = ?`,
    [listed(possible.map((id) => [id])), run],
  );
  return new Map(
    rows.map(([id, outcome, batch, time = null]) => [
      String(id),
      {
        as: settledAs(String(outcome)),
        batch: Number(batch),
        ...(time !== null && { updatedAtUs: BigInt(time) }),
      },
    ]),
  );
};

/** Ids, each once as the warehouse has it, with what they become and their times. */
const rowsOf = (
  outcomes: Iterable<readonly [string, SettledAs]>,
  times: RunOfBatch['times'],
): readonly (readonly (string | null)[])[] => {
  const rows = new Map<string, readonly (string | null)[]>();
  for (const [id, outcome] of outcomes) {
    const kept = wellFormed(id);
    if (canBeKept(id) && !rows.has(kept))
      rows.set(kept, [kept, outcome, times?.get(id)?.toString() ?? null]);
  }
  return [...rows.values()];
};

/** Records outcomes of ids: one that is known keeps its own. @param counts whether it gets the number of the batch */
const record = async (
  session: SnowflakeSession,
  place: Place,
  { id, batch }: RunOfBatch,
  rows: readonly (readonly (string | null)[])[],
  counts: boolean,
): Promise<void> => {
  if (rows.length === 0) return;
  await session.rows(
    `MERGE INTO ${qualified(place, '_SEEN')} AS s USING ${selectListed('ID', 'OUTCOME', 'AT')} AS g
     ON s."RUN" = ? AND s."RECORD_ID" = g.ID
     ${counts ? `WHEN MATCHED THEN UPDATE SET "BATCH" = ${String(batch)}` : ''}
     WHEN NOT MATCHED THEN INSERT ("RUN", "RECORD_ID", "OUTCOME", "BATCH", "UPDATED_AT_US")
     VALUES (?, g.ID, g.OUTCOME, ${String(batch)}, CAST(g.AT AS NUMBER(38,0)))`,
    [listed(rows), id, id],
  );
};

/** Marks ids of which the filter has not left out every record, so that a purge leaves them. */
const recordUnfiltered = async (
  session: SnowflakeSession,
  place: Place,
  { id, unfiltered = new Set() }: RunOfBatch,
): Promise<void> => {
  const possible = [...unfiltered].filter(canBeKept);
  if (possible.length === 0) return;
  await session.rows(
    `UPDATE ${qualified(place, '_SEEN')} SET "OUTCOME" = '${FILTERED_FIRST}'
     WHERE "RUN" = ? AND "OUTCOME" = 'Filter' AND "RECORD_ID" IN (SELECT ID FROM ${selectListed('ID')})`,
    [id, listed(possible.map((each) => [wellFormed(each)]))],
  );
};

/**
 * Tells what a run had settled about ids that were written, and records the outcome of those of which it had settled nothing, and
 * of those that are counted without being written. Within a transaction that has the lock of the warehouse.
 */
export const recordSeen = async (
  session: SnowflakeSession,
  place: Place,
  run: RunOfBatch,
  { merged, refused, counted }: WrittenIds,
): Promise<ReadonlyMap<string, Settled>> => {
  const before = await readSeen(session, place, run.id, [...merged, ...refused, ...counted]);
  const as = (ids: readonly string[], outcome: SettledAs) =>
    ids.map((id) => [id, outcome] as const);
  const written = [...as(merged, 'Merged'), ...as(refused, 'Finalize')];
  const fresh = written.filter(([id]) => !before.has(wellFormed(id)));
  await record(session, place, run, rowsOf(fresh, run.times), false);
  await record(session, place, run, rowsOf(run.settled, run.times), true);
  await recordUnfiltered(session, place, run);
  return before;
};
