import type { ProfileSchema, WorkspaceId } from '@penstock/contracts';
import { snowflakeCodeOf, type SnowflakeSession } from '@penstock/databases';
import { WarehouseFault } from '../../platform/warehouse';
import type { Writer } from '../../platform/warehouse-writer';
import { type Place, qualified } from '../sql/names';
import { endStuck } from './end-stuck';
import { type Marker, ownMarker, readMarker } from './marker';

/** What has to hold for a write. */
export interface Guarded {
  readonly place: Place;
  readonly workspace: WorkspaceId;
  /** Absent: what is written does not depend on it. */
  readonly profiles?: ProfileSchema;
}

/** The role whose fence keeps readers out. */
export const READS = 'reads';

/** Somebody has held a lock for too long. Source: Snowflake, messages of its errors. */
const LOCK_TIMEOUT = '000625';

/**
 * Gets the lock of the warehouse for the transaction, which begins with it: whoever writes waits for its end, and what is read
 * from then on was committed before, and does not change.
 */
export const lockWarehouse = async (session: SnowflakeSession, place: Place): Promise<void> => {
  const lock = `UPDATE ${qualified(place, '_META')} SET "LAYOUT" = "LAYOUT"`;
  try {
    await session.rows(lock);
  } catch (error) {
    const isLate = snowflakeCodeOf(error) === LOCK_TIMEOUT;
    if (!isLate || !(await endStuck(session, place))) throw error;
    await session.rows(lock);
  }
};

/** @throws WarehouseFault unless the schema of profiles is the one that is known, and stays it */
const checkVersion = ({ schemaVersion, change }: Marker, { version }: ProfileSchema): void => {
  if (schemaVersion !== version || change !== undefined)
    throw new WarehouseFault('outdated', 'the schema of profiles is another one by now');
};

/** Reads the marker. @throws WarehouseFault unless it lets the workspace write */
export const guardMarker = async (
  session: SnowflakeSession,
  { place, workspace, profiles }: Guarded,
): Promise<void> => {
  const marker = ownMarker(await readMarker(session, place), workspace);
  if (profiles !== undefined) checkVersion(marker, profiles);
};

/** The epoch of a role; undefined: nobody has begun. */
const epochOf = async (
  session: SnowflakeSession,
  place: Place,
  role: string,
): Promise<number | undefined> => {
  const fences = qualified(place, '_FENCES');
  const [row] = await session.rows(`SELECT MAX("EPOCH") FROM ${fences} WHERE "ROLE" = ?`, [role]);
  const [epoch = null] = row ?? [];
  return epoch === null ? undefined : Number(epoch);
};

const fenced = (message: string): WarehouseFault => new WarehouseFault('fenced', message);

/**
 * Reads marker and fence. With the lock of the warehouse they stay as they are until the transaction ends.
 *
 * @throws WarehouseFault unless they let the writer write
 */
export const guardLocked = async (
  session: SnowflakeSession,
  guarded: Guarded,
  { role, epoch }: Writer,
): Promise<void> => {
  await guardMarker(session, guarded);
  if ((await epochOf(session, guarded.place, role)) !== epoch)
    throw fenced('another writer has taken the role over');
};

/**
 * Begins a transaction of a writer. Until it has ended nobody takes the role over, and nobody else writes.
 *
 * @throws WarehouseFault unless marker and fence let the writer write
 */
export const guardWriter = async (
  session: SnowflakeSession,
  guarded: Guarded,
  writer: Writer,
): Promise<void> => {
  await lockWarehouse(session, guarded.place);
  await guardLocked(session, guarded, writer);
};

/** @throws WarehouseFault where readers of this epoch are kept out. It changes and locks nothing. */
export const guardReader = async (
  session: SnowflakeSession,
  place: Place,
  epoch: number,
): Promise<void> => {
  if (((await epochOf(session, place, READS)) ?? 0) > epoch)
    throw fenced('readers of an earlier configuration are kept out');
};

/** Within a transaction that has the lock of the warehouse. */
export const raiseFence = async (
  session: SnowflakeSession,
  place: Place,
  role: string,
  epoch: number,
): Promise<void> => {
  const fences = qualified(place, '_FENCES');
  await session.rows(
    `MERGE INTO ${fences} AS f USING (SELECT ? AS R, CAST(? AS NUMBER(38,0)) AS E) AS s ON f."ROLE" = s.R
     WHEN MATCHED THEN UPDATE SET "EPOCH" = GREATEST(f."EPOCH", s.E), "BEGUN_AT" = CURRENT_TIMESTAMP()
     WHEN NOT MATCHED THEN INSERT ("ROLE", "EPOCH", "BEGUN_AT") VALUES (s.R, s.E, CURRENT_TIMESTAMP())`,
    [role, String(epoch)],
  );
};

/** A writer that began so long ago does not wake up any more. */
const FENCE_KEPT_DAYS = 30;

/** Begins a transaction that takes a role over. @throws WarehouseFault fenced */
export const takeOver = async (
  session: SnowflakeSession,
  guarded: Guarded,
  { role, epoch }: Writer,
): Promise<void> => {
  await lockWarehouse(session, guarded.place);
  await guardMarker(session, guarded);
  const known = await epochOf(session, guarded.place, role);
  if (known !== undefined && known > epoch) throw fenced('another writer has taken the role over');
  await raiseFence(session, guarded.place, role, epoch);
  await session.rows(
    `DELETE FROM ${qualified(guarded.place, '_FENCES')}
     WHERE "BEGUN_AT" < DATEADD('day', -${String(FENCE_KEPT_DAYS)}, CURRENT_TIMESTAMP())`,
  );
};
