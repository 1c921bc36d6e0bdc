import {
  type ConnectionId,
  type ConservationView,
  type DeliveriesWanted,
  type DeliveryCounts,
  instant,
  type PipelineId,
  type StoredDeliveryView,
  type StoredState,
} from '@penstock/contracts';
import type { Pool } from 'pg';
import { conservationOf } from './conservation';
import { countStatement, type ListPlace, listStatement } from './deliveries-statement';
import { deliveryId } from './delivery-id';
import { shortReason } from './short-reason';

interface DeliveryRow {
  readonly partition: number;
  readonly offset: string;
  readonly pipeline: PipelineId;
  readonly version: number;
  readonly lane: ConnectionId;
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

interface CountRow {
  readonly pipeline: PipelineId | null;
  readonly state: StoredState;
  readonly code: string;
  readonly count: number;
}

/** A delivery of a list, with its place in it. */
export interface ListedDelivery {
  readonly view: StoredDeliveryView;
  readonly place: ListPlace;
}

/** The most numbers by pipeline in an answer; it fits into one message of the log. */
const MAX_PIPELINES = 1_000;

const listed = (row: DeliveryRow): ListedDelivery => {
  const { partition, pipeline, state } = row;
  const place = { partition, offset: Number(row.offset), pipeline, receivedMs: row.received_ms };
  const waits = state === 'Waiting';
  const view: StoredDeliveryView = {
    id: deliveryId(place),
    pipeline,
    pipelineVersion: row.version,
    connection: row.lane,
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
  return { view, place };
};

/**
 * Reads the stored deliveries of a workspace, of pipelines that were deleted too. Each method is one statement, and so sees
 * one state of the store.
 */
export class DeliveryReads {
  constructor(private readonly pool: Pool) {}

  /** At most `limit` deliveries, newest first. */
  async list(
    workspace: string,
    wanted: DeliveriesWanted,
    page: { readonly limit: number; readonly after: ListPlace | undefined },
  ): Promise<readonly ListedDelivery[]> {
    const { text, values } = listStatement(workspace, wanted, page);
    const { rows } = await this.pool.query<DeliveryRow>(text, [...values]);
    const { connection } = wanted;
    // All deliveries of a pipeline have one destination, so that this keeps all of them or none.
    return rows.filter(({ lane }) => connection === undefined || lane === connection).map(listed);
  }

  async counts(workspace: string, wanted: DeliveriesWanted): Promise<DeliveryCounts> {
    const { text, values } = countStatement(workspace, wanted, MAX_PIPELINES + 1);
    const { rows } = await this.pool.query<CountRow>(text, [...values]);
    const sums = rows.filter(({ pipeline }) => pipeline === null);
    const pipelines = rows.flatMap(({ pipeline, ...count }) =>
      pipeline === null ? [] : [{ pipeline, ...count }],
    );
    return {
      counts: sums
        .map(({ state, code, count }) => ({ state, code, count }))
        .sort((one, other) => other.count - one.count),
      pipelines: pipelines.slice(0, MAX_PIPELINES),
      isCut: pipelines.length > MAX_PIPELINES,
    };
  }

  /** What became of the events that were accepted for a pipeline. */
  conservation(pipeline: PipelineId): Promise<ConservationView> {
    return conservationOf(this.pool, pipeline);
  }
}
