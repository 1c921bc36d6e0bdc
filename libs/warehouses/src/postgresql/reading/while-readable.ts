import type { WorkspaceId } from '@penstock/contracts';
import { type Client, escapeLiteral } from 'pg';
import { readerGuard } from '../layout/guard';
import { READS_LOCK } from '../layout/lock';
import { type Marker, ownMarker, selectMarker } from '../layout/marker';
import { late } from '../../reading/late';

/** Longer than any read. */
const HELD_MS = 60_000;

/** Who is let in to read. */
export interface Readable {
  readonly schema: string;
  readonly workspace: WorkspaceId;
  readonly epoch: number;
}

/** Begins a transaction that shares the lock of reads, and fails where readers of the epoch are kept out. */
export const beginReadable = async (
  client: Client,
  { schema, workspace, epoch }: Readable,
): Promise<void> => {
  const shared = READS_LOCK.replace('$1', () => escapeLiteral(schema));
  await client.query('BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED READ ONLY');
  await client.query(`SET LOCAL idle_in_transaction_session_timeout = ${HELD_MS}`);
  await client.query(`SELECT pg_advisory_xact_lock_shared(${shared})`);
  await client.query(readerGuard(schema, epoch));
  const { rows } = await client.query<Marker>(selectMarker(schema));
  ownMarker(rows[0], workspace);
};

/**
 * Does work in the transaction that {@link beginReadable} has begun, which reads on other connections: of users whose
 * sessions the owner of the warehouse cannot end. Whoever keeps readers out waits for this session, or ends it: then the
 * work is told.
 *
 * @param work is given a signal that fires when it is to end at once.
 */
export const whileReadable = async <T>(
  client: Client,
  work: (ended: AbortSignal) => Promise<T>,
): Promise<T> => {
  const ended = new AbortController();
  const lose = (): void => {
    ended.abort(late());
  };
  client.once('end', lose);
  try {
    return await work(ended.signal);
  } finally {
    client.off('end', lose);
    await client.query('ROLLBACK').catch(() => undefined);
  }
};
