import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkspaceId } from '@penstock/contracts';
import type { SnowflakeSession } from '@penstock/databases';
import { type ReadersKeptOut, WarehouseFault } from '../../platform/warehouse';
import type { ReaderOptions } from '../../platform/warehouse-reader';
import type { Sessions } from '../sessions/sessions';
import { type Place, qualified } from '../sql/names';
import { transaction } from '../sql/transaction';
import { guardMarker, guardReader, lockWarehouse, raiseFence, READS } from './guard';

/** Milliseconds after which the fence is looked at again. */
const LOOK_MS = 1_000;

/**
 * Keeps readers of earlier configurations out. Nobody knows which reads are under way: all of them have the time of grace, and
 * give nothing after it.
 */
export const keepReadersOut = async (
  session: SnowflakeSession,
  place: Place,
  workspace: WorkspaceId,
  { epoch, graceMs }: ReadersKeptOut,
): Promise<void> => {
  await transaction(session, async () => {
    await lockWarehouse(session, place);
    await guardMarker(session, { place, workspace });
    await raiseFence(session, place, READS, epoch);
    await session.rows(
      `UPDATE ${qualified(place, '_FENCES')}
       SET "BEGUN_AT" = DATEADD('millisecond', ${String(Math.ceil(graceMs))}, CURRENT_TIMESTAMP()) WHERE "ROLE" = ?`,
      [READS],
    );
  });
  await sleep(graceMs);
};

const late = (): WarehouseFault =>
  new WarehouseFault('unreachable', 'readers of an earlier configuration are ended');

/** Whether the time of grace of readers of the epoch has ended. */
const isOver = async (session: SnowflakeSession, place: Place, epoch: number): Promise<boolean> => {
  const rows = await session.rows(
    `SELECT 1 FROM ${qualified(place, '_FENCES')}
     WHERE "ROLE" = ? AND "EPOCH" > ? AND "BEGUN_AT" <= CURRENT_TIMESTAMP()`,
    [READS, String(epoch)],
  );
  return rows.length > 0;
};

/** Does work while readers of the epoch are let in, or have the time of grace. */
export const whileReadable = async <T>(
  sessions: Sessions,
  { workspace, epoch }: Pick<ReaderOptions, 'workspace' | 'epoch'>,
  work: (ended: AbortSignal) => Promise<T>,
): Promise<T> => {
  const { place } = sessions;
  await sessions.use(async (session) => {
    await guardReader(session, place, epoch);
    await guardMarker(session, { place, workspace });
  });
  const ended = new AbortController();
  const look = async (): Promise<void> => {
    if (await sessions.use((session) => isOver(session, place, epoch))) ended.abort(late());
  };
  const looking = setInterval(() => {
    look().catch((error: unknown) => {
      ended.abort(error);
    });
  }, LOOK_MS);
  try {
    const result = await work(ended.signal);
    await look();
    if (ended.signal.aborted) throw ended.signal.reason;
    return result;
  } finally {
    clearInterval(looking);
  }
};
