import type { WorkspaceId } from '@penstock/contracts';
import { type Client, DatabaseError, escapeLiteral } from 'pg';
import type { ReadersKeptOut } from '../../platform/warehouse';
import { qualified } from '../sql/names';
import { BEGIN } from '../sql/transaction';
import { READS } from './guard';
import { READS_LOCK } from './lock';
import { lockHolders } from './lock-holders';
import { type Marker, ownMarker, selectMarker } from './marker';

/** For the sessions of readers to end once they are terminated. */
const ENDING_MS = 3_000;

/** SQLSTATE lock_not_available. */
const LOCKED = '55P03';

/**
 * Raises the fence: reads that begin from now on, by an earlier configuration, fail. Waits for no change of the schema of
 * profiles.
 */
const raise = async (
  client: Client,
  schema: string,
  workspace: WorkspaceId,
  epoch: number,
): Promise<void> => {
  const { rows } = await client.query<Marker>(selectMarker(schema));
  ownMarker(rows[0], workspace);
  await client.query(
    `INSERT INTO ${qualified(schema, '_fences')} AS fence (role, epoch)
     VALUES (${escapeLiteral(READS)}, ${epoch})
     ON CONFLICT (role) DO UPDATE
       SET epoch = greatest(fence.epoch, excluded.epoch), begun_at = now()`,
  );
};

/** @returns whether no read is under way any more, after the limit at the latest. */
const areEnded = async (client: Client, schema: string, limitMs: number): Promise<boolean> => {
  await client.query(`${BEGIN}; SET LOCAL lock_timeout = ${limitMs}`);
  try {
    await client.query(`SELECT pg_advisory_xact_lock(${READS_LOCK})`, [schema]);
    return true;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === LOCKED) return false;
    throw error;
  } finally {
    await client.query('ROLLBACK');
  }
};

/**
 * Keeps readers of earlier configurations out. Reads that are under way have a time of grace to end, then their sessions are
 * ended, whichever process they are of.
 */
export const keepReadersOut = async (
  client: Client,
  schema: string,
  workspace: WorkspaceId,
  { epoch, graceMs }: ReadersKeptOut,
): Promise<void> => {
  await raise(client, schema, workspace, epoch);
  if (await areEnded(client, schema, graceMs)) return;
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM (${lockHolders(READS_LOCK)}) AS reading`,
    [schema],
  );
  await areEnded(client, schema, ENDING_MS);
};
