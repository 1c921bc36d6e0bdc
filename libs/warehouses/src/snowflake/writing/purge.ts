import type { PipelineId } from '@penstock/contracts';
import type { SnowflakeSession } from '@penstock/databases';
import { deleteGone, markRemoved } from '../merging/mark-removed';
import { keepKeys } from '../resolving/identity-keys';
import { type Place, qualified } from '../sql/names';
import { changedRows } from '../sql/transaction';

/** Identities that one transaction looks at: each rewrites what they are stored with. */
const PIECE = 50_000;

/** The name under which `_SEEN` has how many identities a run has purged: ids of runs have no space. */
export const purgeOf = (run: string): string => `${run} purge`;

/** What is purged, and of what a piece begins with. */
interface Purge {
  readonly place: Place;
  readonly pipeline: PipelineId;
  readonly run: string;
  /** The record id of the last identity of the piece before; empty for the first piece. */
  readonly after: string;
}

const isKnown = async (session: SnowflakeSession, { place, run }: Purge): Promise<boolean> => {
  const seen = qualified(place, '_SEEN');
  return (await session.rows(`SELECT 1 FROM ${seen} WHERE "RUN" = ? LIMIT 1`, [run])).length > 0;
};

/** The last record id of the piece; null: there is no more. */
const endOf = async (
  session: SnowflakeSession,
  { place, pipeline, after }: Purge,
): Promise<string | null> => {
  const [row] = await session.rows(
    `SELECT MAX("_RECORD_ID") FROM (
       SELECT "_RECORD_ID" FROM ${qualified(place, '_IDENTITIES')}
       WHERE "_PIPELINE" = ? AND NOT "_ANONYMOUS" AND "_RECORD_ID" > ?
       ORDER BY "_RECORD_ID" LIMIT ${String(PIECE)}) AS piece`,
    [pipeline, after],
  );
  return row?.[0] ?? null;
};

/** SQL of the identities of a piece that the run has not seen or has left out. */
const selectGone = (place: Place): string => `
  SELECT i."_ID" AS ID, i."_PROFILE_ID" AS PROFILE FROM ${qualified(place, '_IDENTITIES')} AS i
  LEFT JOIN ${qualified(place, '_SEEN')} AS s ON s."RECORD_ID" = i."_RECORD_ID" AND s."RUN" = ?
  WHERE i."_PIPELINE" = ? AND NOT i."_ANONYMOUS" AND i."_RECORD_ID" > ? AND i."_RECORD_ID" <= ?
    AND COALESCE(s."OUTCOME", 'Filter') = 'Filter'`;

const addPurged = async (
  session: SnowflakeSession,
  { place, run }: Purge,
  count: number,
): Promise<void> => {
  await session.rows(
    `MERGE INTO ${qualified(place, '_SEEN')} AS s USING (SELECT ? AS R, ${String(count)} AS C) AS g
     ON s."RUN" = g.R AND s."RECORD_ID" = ''
     WHEN MATCHED THEN UPDATE SET "BATCH" = s."BATCH" + g.C
     WHEN NOT MATCHED THEN INSERT ("RUN", "RECORD_ID", "OUTCOME", "BATCH") VALUES (g.R, '', 'Purged', g.C)`,
    [purgeOf(run)],
  );
};

/**
 * Deletes, of the next known identities of a pipeline in the order of their record ids, those that the run has not seen or has
 * left out, marks them as removed, and counts them. Within a transaction that has the lock of the warehouse.
 *
 * @returns the last record id of the piece; null where there is none, or nothing is known of the run.
 */
export const purgePiece = async (
  session: SnowflakeSession,
  purge: Purge,
): Promise<string | null> => {
  const { place, pipeline, run, after } = purge;
  const last = (await isKnown(session, purge)) ? await endOf(session, purge) : null;
  if (last === null) return null;
  const gone = selectGone(place);
  const binds = [run, pipeline, after, last];
  await session.rows(keepKeys(place, gone), binds);
  await session.rows(markRemoved(place, gone), binds);
  const deleted = await session.rows(deleteGone(place, gone), binds);
  if (changedRows(deleted) > 0) await addPurged(session, purge, changedRows(deleted));
  return last;
};

/** How many identities a run has purged. */
export const readPurged = async (
  session: SnowflakeSession,
  place: Place,
  run: string,
): Promise<number> => {
  const [row] = await session.rows(
    `SELECT "BATCH" FROM ${qualified(place, '_SEEN')} WHERE "RUN" = ? AND "RECORD_ID" = ''`,
    [purgeOf(run)],
  );
  return Number(row?.[0] ?? 0);
};
