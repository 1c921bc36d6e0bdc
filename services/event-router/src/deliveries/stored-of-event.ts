import type { StoredDeliveryView } from '@penstock/contracts';
import type { Pool } from 'pg';
import type { EventPlace } from '../tracing/event-place';
import { DELIVERY_COLUMNS, type DeliveryRow, viewOf } from './delivery-row';

/** A stored delivery of an event, with all that its last attempt, or its ending, has said. */
export interface StoredOfEvent {
  readonly view: StoredDeliveryView;
  readonly detail: string;
}

/** The stored deliveries of an event, through the primary key. */
export const storedOfEvent = async (
  pool: Pool,
  workspace: string,
  { partition, offset }: EventPlace,
): Promise<readonly StoredOfEvent[]> => {
  const { rows } = await pool.query<DeliveryRow>(
    `SELECT ${DELIVERY_COLUMNS} FROM penstock_router.deliveries d
      WHERE d.partition = $1 AND d."offset" = $2 AND d.workspace = $3`,
    [partition, offset, workspace],
  );
  return rows.map((row) => ({ view: viewOf(row), detail: row.reason }));
};
