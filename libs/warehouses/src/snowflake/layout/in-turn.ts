import type { SnowflakeSession } from '@penstock/databases';
import type { Writer } from '../../platform/warehouse-writer';
import type { Sessions } from '../sessions/sessions';
import { transaction } from '../sql/transaction';
import { type Guarded, guardWriter } from './guard';

/** Does work in a transaction in which the writer may write. @throws WarehouseFault */
export const inTurn = <T>(
  sessions: Sessions,
  guarded: Guarded,
  writer: Writer,
  work: (session: SnowflakeSession) => Promise<T>,
): Promise<T> =>
  sessions.use((session) =>
    transaction(session, async () => {
      await guardWriter(session, guarded, writer);
      return work(session);
    }),
  );
