import {
  type ConnectionId,
  instant,
  type PipelineId,
  type StoredDeliveryView,
  type StoredState,
} from '@penstock/contracts';
import { type DeliveryPlace, deliveryId } from './delivery-id';
import { shortReason } from '../outcomes/short-reason';
import { connectionOf, type DestinationId } from '../store/lane-id';

/** The columns of a {@link DeliveryRow}, of the table as `d`. */
export const DELIVERY_COLUMNS = `d.partition, d."offset", d.pipeline, d.version, d.lane, d.source, d.message_id, d.state, d.step,
       d.code, d.reason, d.attempts, (extract(epoch FROM d.received) * 1000)::float8 AS received_ms,
       (extract(epoch FROM d.changed) * 1000)::float8 AS changed_ms,
       (extract(epoch FROM d.due) * 1000)::float8 AS due_ms`;

/** A row of stored deliveries; the driver returns 64-bit integers as texts. */
export interface DeliveryRow {
  readonly partition: number;
  readonly offset: string;
  readonly pipeline: PipelineId;
  readonly version: number;
  readonly lane: DestinationId;
  readonly source: ConnectionId | '';
  readonly message_id: string;
  readonly state: StoredState;
  readonly step: string | null;
  readonly code: string;
  readonly reason: string;
  readonly attempts: number;
  readonly received_ms: number;
  readonly changed_ms: number;
  readonly due_ms: number;
}

export const placeOf = ({ partition, offset, pipeline }: DeliveryRow): DeliveryPlace => ({
  partition,
  offset: Number(offset),
  pipeline,
});

/** What is shown of a row, without values of its event. */
export const viewOf = (row: DeliveryRow): StoredDeliveryView => {
  const { pipeline, state } = row;
  const waits = state === 'Waiting';
  return {
    id: deliveryId(placeOf(row)),
    pipeline,
    pipelineVersion: row.version,
    connection: connectionOf(row.lane, row.source as ConnectionId),
    source: row.source === '' ? null : row.source,
    messageId: row.source === '' ? null : row.message_id,
    state,
    step: row.step,
    code: row.code,
    reason: shortReason(row.step, row.reason),
    attempts: row.attempts,
    receivedAt: instant(new Date(row.received_ms)),
    endedAt: waits ? null : instant(new Date(row.changed_ms)),
    nextAttemptAt: waits ? instant(new Date(row.due_ms)) : null,
  };
};
