import type { SnowflakeSession } from '@penstock/databases';
import type { Writer } from '../../platform/warehouse-writer';
import type { Sessions } from '../sessions/sessions';
import { transaction } from '../sql/transaction';
import { type Guarded, guardWriter } from './guard';

/** Does work on a session in a transaction in which the writer may write. */
export const inTurnOn = <T>(
  session: SnowflakeSession,
  guarded: Guarded,
  writer: Writer,
  work: () => Promise<T>,
): Promise<T> =>
  transaction(session, async () => {
    await guardWriter(session, guarded, writer);
    return work();
  });

/** As {@link inTurnOn}, on a session that nobody else uses meanwhile. @throws WarehouseFault */
export const inTurn = <T>(
  sessions: Sessions,
  guarded: Guarded,
  writer: Writer,
  work: (session: SnowflakeSession) => Promise<T>,
): Promise<T> => sessions.use((session) => inTurnOn(session, guarded, writer, () => work(session)));
