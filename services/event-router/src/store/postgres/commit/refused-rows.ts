import type { DeliveryKey, PartitionChanges } from '../../changes';
import { cleanChanges } from '../../clean-changes';
import type { Database } from '../sql/database';
import { isRefusal } from '../sql/sqlstate';
import { storeDeliveries } from './store-deliveries';

/** Inserts each stored row by itself and rolls it back. @returns the rows that the database refuses. */
export const refusedRows = (
  database: Database,
  changes: PartitionChanges,
): Promise<readonly DeliveryKey[]> =>
  database.rehearsal(async (db) => {
    const { partition, stored } = cleanChanges(changes);
    const refused: DeliveryKey[] = [];
    for (const delivery of stored) {
      const { offset, pipeline } = delivery;
      await db.query('SAVEPOINT one_row');
      try {
        await storeDeliveries(db, [{ ...delivery, partition }]);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        refused.push({ offset, pipeline });
      }
      await db.query('ROLLBACK TO SAVEPOINT one_row');
    }
    return refused;
  });
