import type { SnowflakeSession } from '@penstock/databases';
import type { Place } from '../sql/names';
import { shown } from '../sql/shown';
import { serverSeconds } from './stages';

/** Longer than any transaction of a writer takes. */
const STUCK_SECONDS = 600;

/** Cells of moments, and ids of transactions, of whoever holds the lock of a warehouse. */
const holders = async (session: SnowflakeSession, { database, schema }: Place) => {
  const resource = `${database}.${schema}._META`;
  const locks = await shown(session, 'SHOW LOCKS');
  return new Set(
    locks
      .filter((lock) => lock.get('status') === 'HOLDING')
      .filter((lock) => lock.get('resource')?.replaceAll('"', '') === resource)
      .map((lock) => lock.get('transaction')),
  );
};

/**
 * Ends sessions that stand still with the lock of a warehouse, as those of a process that is frozen do: whoever wakes up finds
 * that its session is gone, and with it what it has written. Only those of the same user are seen.
 *
 * @param seconds since the transaction began.
 * @returns whether there were any.
 */
export const endStuck = async (
  session: SnowflakeSession,
  place: Place,
  seconds = STUCK_SECONDS,
): Promise<boolean> => {
  const holding = await holders(session, place);
  const now = await serverSeconds(session);
  const stuck = (await shown(session, 'SHOW TRANSACTIONS')).filter((each) => {
    const [since = ''] = (each.get('started_on') ?? '').split(' ');
    return holding.has(each.get('id')) && Number(since) <= now - seconds;
  });
  for (const each of stuck)
    await session.rows(`SELECT SYSTEM$ABORT_SESSION(${String(BigInt(each.get('session') ?? ''))})`);
  return stuck.length > 0;
};
