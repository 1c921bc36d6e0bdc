import { snowflakeCodeOf, type SnowflakeSession } from '@penstock/databases';
import { WarehouseFault } from '../../platform/warehouse';
import type { Sessions } from '../sessions/sessions';
import { type Place, qualified } from '../sql/names';
import { changedRows, transaction } from '../sql/transaction';
import { lockWarehouse, raiseFence } from './guard';
import { isMissing } from './marker';

/** Who changes the objects of a warehouse: one of them at a time. */
const LEASES = { change: 'schema change', repair: 'schema repair' } as const;

type LeaseOf = keyof typeof LEASES;

/** Source: "an operation of a dead worker blocks no longer than its lease of 10 s". */
const LEASE_SECONDS = 10;
/** Milliseconds. */
const RENEWED_MS = 3_000;

const busy = (): WarehouseFault =>
  new WarehouseFault('busy', 'is being repaired or its schema of profiles is changed');

/** A lease that somebody has: whoever has a later epoch has taken it away. */
export interface Lease {
  readonly role: string;
  readonly epoch: number;
}

/** Within a transaction that has the lock of the warehouse. @throws WarehouseFault unreachable */
export const checkLease = async (
  session: SnowflakeSession,
  place: Place,
  { role, epoch }: Lease,
): Promise<void> => {
  const renewed = await session.rows(
    `UPDATE ${qualified(place, '_FENCES')} SET "BEGUN_AT" = CURRENT_TIMESTAMP()
     WHERE "ROLE" = ? AND "EPOCH" = ?`,
    [role, String(epoch)],
  );
  if (changedRows(renewed) === 0) throw new WarehouseFault('unreachable', 'was interrupted');
};

/**
 * Within a transaction that has the lock of the warehouse.
 *
 * @returns roles and epochs of the leases that nobody has.
 * @throws WarehouseFault busy where somebody has one
 */
export const checkUnleased = async (
  session: SnowflakeSession,
  place: Place,
): Promise<readonly (readonly (string | null)[])[]> => {
  const fences = await session.rows(
    `SELECT "ROLE", "EPOCH", DATEDIFF('second', "BEGUN_AT", CURRENT_TIMESTAMP())
     FROM ${qualified(place, '_FENCES')} WHERE "ROLE" IN (?, ?)`,
    Object.values(LEASES),
  );
  if (fences.some(([, , seconds]) => Number(seconds) < LEASE_SECONDS)) throw busy();
  return fences;
};

const take = (session: SnowflakeSession, place: Place, kind: LeaseOf): Promise<Lease> =>
  transaction(session, async () => {
    await lockWarehouse(session, place);
    const fences = await checkUnleased(session, place);
    const role = LEASES[kind];
    const [, known = '0'] = fences.find(([name]) => name === role) ?? [];
    const epoch = Number(known) + 1;
    await raiseFence(session, place, role, epoch);
    return { role, epoch };
  });

const free = async (
  session: SnowflakeSession,
  place: Place,
  { role, epoch }: Lease,
): Promise<void> => {
  await session.rows(
    `UPDATE ${qualified(place, '_FENCES')} SET "BEGUN_AT" = DATEADD('day', -1, CURRENT_TIMESTAMP())
     WHERE "ROLE" = ? AND "EPOCH" = ?`,
    [role, String(epoch)],
  );
};

/** Takes the lease of a change away from whoever has it. */
export const takeAway = (session: SnowflakeSession, place: Place): Promise<void> =>
  transaction(session, async () => {
    await lockWarehouse(session, place);
    await session.rows(
      `UPDATE ${qualified(place, '_FENCES')}
       SET "EPOCH" = "EPOCH" + 1, "BEGUN_AT" = DATEADD('day', -1, CURRENT_TIMESTAMP()) WHERE "ROLE" = ?`,
      [LEASES.change],
    );
  });

/**
 * Does work under the lease of the warehouse, which is renewed until it has ended.
 *
 * @param work is given no lease where the warehouse lacks what leases are kept in.
 * @throws WarehouseFault busy
 */
export const underLease = async <T>(
  sessions: Sessions,
  kind: LeaseOf,
  work: (session: SnowflakeSession, lease: Lease | undefined) => Promise<T>,
): Promise<T> => {
  const { place } = sessions;
  const lease = await sessions.use(async (session) => {
    try {
      return await take(session, place, kind);
    } catch (error) {
      if (isMissing(snowflakeCodeOf(error))) return undefined;
      throw error;
    }
  });
  if (lease === undefined) return sessions.use((session) => work(session, undefined));
  let renewing: Promise<unknown> = Promise.resolve();
  const renewal = setInterval(() => {
    renewing = sessions.use((session) => checkLease(session, place, lease)).catch(() => undefined);
  }, RENEWED_MS);
  try {
    return await sessions.use((session) => work(session, lease));
  } finally {
    clearInterval(renewal);
    // One that comes behind the end would take the lease once more.
    await renewing;
    await sessions.use((session) => free(session, place, lease)).catch(() => undefined);
  }
};
