import {
  type JsonString,
  readAcceptedEvent,
  type StoredDeliveryView,
  UnreadableEvent,
} from '@penstock/contracts';
import type { Pool } from 'pg';
import { type DeliveryPlace, deliveryId } from './delivery-id';
import { DELIVERY_COLUMNS, type DeliveryRow, viewOf } from './delivery-row';

/** A stored delivery with the values of its event. */
export interface WholeDelivery {
  readonly view: StoredDeliveryView;
  /** What the last attempt, or the ending, has said, with an excerpt of the destination's answer. */
  readonly detail: string;
  /** JSON text; `null`: the stored record cannot be read. */
  readonly event: JsonString | null;
}

/** Who is given values, and in which request. */
export interface Access {
  readonly actor: string;
  readonly requestId: string;
}

const FOUND = `
SELECT ${DELIVERY_COLUMNS}, b.body
  FROM penstock_router.deliveries d
  LEFT JOIN penstock_router.bodies b ON b.partition = d.partition AND b."offset" = d."offset"
 WHERE d.partition = $1 AND d."offset" = $2 AND d.pipeline = $3 AND d.workspace = $4`;

/** One statement and so one transaction: its rows are returned when the access is on the database's disk. */
const FOUND_AND_RECORDED = `
WITH found AS (${FOUND}), recorded AS (
  INSERT INTO penstock_router.accesses (workspace, actor, request_id, delivery) SELECT $4, $5, $6, $7 FROM found
)
SELECT * FROM found`;

const eventIn = (body: string | null): JsonString | null => {
  try {
    return readAcceptedEvent(body ?? '').eventText;
  } catch (error) {
    if (error instanceof UnreadableEvent) return null;
    throw error;
  }
};

/** Reads single stored deliveries of a workspace with the values of their events. */
export class WholeDeliveries {
  constructor(private readonly pool: Pool) {}

  /** @param access is recorded when the delivery is found; absent: the caller shows no values. */
  async find(
    workspace: string,
    place: DeliveryPlace,
    access: Access | undefined,
  ): Promise<WholeDelivery | undefined> {
    const { partition, offset, pipeline } = place;
    const key = [partition, offset, pipeline, workspace];
    const { rows } = await this.pool.query<DeliveryRow & { readonly body: string | null }>(
      access === undefined ? FOUND : FOUND_AND_RECORDED,
      access === undefined ? key : [...key, access.actor, access.requestId, deliveryId(place)],
    );
    const [row] = rows;
    return row && { view: viewOf(row), detail: row.reason, event: eventIn(row.body) };
  }
}
