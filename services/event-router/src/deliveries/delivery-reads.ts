import {
  type ConservationView,
  type DeliveriesWanted,
  type DeliveryCounts,
  type PipelineId,
  type StoredDeliveryView,
  type StoredState,
} from '@penstock/contracts';
import type { Pool } from 'pg';
import type { DestinationId } from '../store/lane-id';
import { conservationOf } from './conservation';
import { countStatement, type ListPlace, listStatement } from './deliveries-statement';
import { type DeliveryRow, placeOf, viewOf } from './delivery-row';

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

const listed = (row: DeliveryRow): ListedDelivery => ({
  view: viewOf(row),
  place: { ...placeOf(row), receivedMs: row.received_ms },
});

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
  conservation(pipeline: PipelineId, lane: DestinationId): Promise<ConservationView> {
    return conservationOf(this.pool, pipeline, lane);
  }
}
