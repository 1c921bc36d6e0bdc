import type { WorkspaceId } from '@penstock/contracts';
import type { SnowflakeSession } from '@penstock/databases';
import { type ProfilesChange, WarehouseFault } from '../../platform/warehouse';
import { lockWarehouse } from '../layout/guard';
import { checkLease, type Lease } from '../layout/lease';
import { ownMarker, readMarker, type UnfinishedChange } from '../layout/marker';
import { type Place, qualified } from '../sql/names';
import { transaction } from '../sql/transaction';
import { type ChangeStep, changeSteps, endChange } from './change-steps';

/** Under the lock of the warehouse, unless the lease was taken away. */
const locked = <T>(
  session: SnowflakeSession,
  place: Place,
  lease: Lease,
  work: () => Promise<T>,
): Promise<T> =>
  transaction(session, async () => {
    await lockWarehouse(session, place);
    await checkLease(session, place, lease);
    return work();
  });

const hasColumn = async (
  session: SnowflakeSession,
  place: Place,
  { table, column }: NonNullable<ChangeStep['renames']>,
): Promise<boolean> => {
  const rows = await session.rows(`DESCRIBE TABLE ${qualified(place, table)}`);
  return rows.some(([name]) => name === column);
};

const runStep = async (
  session: SnowflakeSession,
  place: Place,
  lease: Lease,
  { sql, changesRows, renames }: ChangeStep,
  index: number,
): Promise<void> => {
  if (changesRows !== true) {
    await locked(session, place, lease, () => Promise.resolve());
    const isDone = renames !== undefined && !(await hasColumn(session, place, renames));
    if (!isDone) await session.rows(sql);
  }
  await locked(session, place, lease, async () => {
    if (changesRows === true) await session.rows(sql);
    await session.rows(`UPDATE ${qualified(place, '_META')} SET "CHANGED" = ${String(index + 1)}`);
  });
};

/** Executes what is left of a change that was recorded, and makes its version hold. */
export const finishChange = async (
  session: SnowflakeSession,
  place: Place,
  lease: Lease,
  { to, steps, done }: UnfinishedChange,
): Promise<void> => {
  const all = JSON.parse(steps) as readonly ChangeStep[];
  for (const [index, step] of all.entries())
    if (index >= done) await runStep(session, place, lease, step, index);
  await locked(session, place, lease, async () => {
    await session.rows(endChange(place, to));
  });
};

/** Once it is recorded nobody knows from a fault how far it is: see `Warehouse.profilesVersion`. */
const unknown = (error: unknown): WarehouseFault => {
  const reason = error instanceof Error ? error.message : '';
  return new WarehouseFault('unreachable', `the change goes on later: ${reason}`);
};

/**
 * Changes the columns of the profiles. Under the lease of the warehouse. A change that another one has left is done first.
 *
 * @throws WarehouseFault
 */
export const changeProfiles = async (
  session: SnowflakeSession,
  place: Place,
  lease: Lease,
  workspace: WorkspaceId,
  change: ProfilesChange,
): Promise<void> => {
  const found = ownMarker(await readMarker(session, place), workspace);
  if (found.change !== undefined) await finishChange(session, place, lease, found.change);
  const { schemaVersion } = ownMarker(await readMarker(session, place), workspace);
  if (schemaVersion !== change.from.version)
    throw new WarehouseFault('outdated', 'the schema of profiles is another one by now');
  const steps = changeSteps(place, change);
  await change.begun();
  if (change.isDryRun === true) return;
  const recorded = { to: change.to.version, steps: JSON.stringify(steps), done: 0 };
  await locked(session, place, lease, async () => {
    await session.rows(
      `UPDATE ${qualified(place, '_META')} SET "CHANGING" = ?, "CHANGED" = 0, "CHANGING_TO" = ${String(recorded.to)}`,
      [recorded.steps],
    );
  });
  try {
    await finishChange(session, place, lease, recorded);
  } catch (error) {
    throw unknown(session.faultOf(error));
  }
};
