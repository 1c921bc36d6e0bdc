import type { SnowflakeSession } from '@penstock/databases';
import { WarehouseFault } from '../../platform/warehouse';
import type { Writer } from '../../platform/warehouse-writer';
import { type Guarded, guardLocked, lockWarehouse } from '../layout/guard';
import { checkUnleased } from '../layout/lease';
import type { Sessions } from '../sessions/sessions';
import type { Execute } from './batch';

const givenUp = (): WarehouseFault => new WarehouseFault('unreachable', 'was given up');

/** What becomes of a statement, unless the signal comes first: then it goes on without anybody who waits for it. */
const unlessGivenUp = async <T>(
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> => {
  if (signal === undefined) return work();
  if (signal.aborted) throw givenUp();
  let giveUp: () => void = () => undefined;
  const ended = new Promise<never>((_, reject) => {
    giveUp = () => {
      reject(givenUp());
    };
    signal.addEventListener('abort', giveUp, { once: true });
  });
  try {
    return await Promise.race([work(), ended]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
};

/** The transactions of a resolution: each fails once another writer has taken the role over. */
export class ResolvingTransactions {
  constructor(
    private readonly sessions: Sessions,
    private readonly place: Guarded,
    private readonly writer: Writer,
  ) {}

  /** @returns the rows that a statement gives */
  read(statement: string): Promise<readonly (readonly (string | null)[])[]> {
    return this.sessions.use(async (session) => {
      await guardLocked(session, this.place, this.writer);
      return session.rows(statement);
    });
  }

  /**
   * Changes something, beside no repair and no change of the schema of profiles, and no other writer.
   *
   * @param signal gives it up, with the session, which ends the statement that is under way: nothing was changed then.
   * @param prepare is done before the transaction begins.
   */
  async change<T>(
    signal: AbortSignal | undefined,
    work: (execute: Execute) => Promise<T>,
    prepare: (session: SnowflakeSession) => Promise<void> = () => Promise.resolve(),
  ): Promise<T> {
    signal?.throwIfAborted();
    try {
      return await this.sessions.use(async (session) => {
        await unlessGivenUp(signal, () => prepare(session));
        return this.transaction(session, signal, work);
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  }

  private async transaction<T>(
    session: SnowflakeSession,
    signal: AbortSignal | undefined,
    work: (execute: Execute) => Promise<T>,
  ): Promise<T> {
    await session.rows('BEGIN');
    try {
      const result = await unlessGivenUp(signal, async () => {
        await lockWarehouse(session, this.place.place);
        await checkUnleased(session, this.place.place);
        await guardLocked(session, this.place, this.writer);
        return work((statement, binds = []) => {
          if (signal?.aborted === true) throw givenUp();
          return session.rows(statement, binds);
        });
      });
      if (signal?.aborted === true) throw givenUp();
      await session.rows('COMMIT');
      return result;
    } catch (error) {
      // The session is given up, too, which rolls back: a statement may be under way.
      if (signal?.aborted !== true) await session.rows('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }
}
