import {
  type ConnectionId,
  eventCodec,
  readAcceptedEvent,
  type Suppressions,
} from '@penstock/contracts';
import { isOfSuppressed } from '../route/is-of-suppressed';
import type { Routes } from '../route/routes';
import type { StoredDelivery } from '../store/changes';
import type { RouterStore } from '../store/router-store';
import type { Delivery } from './delivery';
import type { KeyQueue } from './key-queue';

/** Rows of a key that are in memory at once. */
const MAX_LOADED = 100;

/** Brings the deliveries that wait in the store back to their lane. */
export class StoredDeliveries {
  constructor(
    private readonly store: RouterStore,
    private readonly routes: Routes,
    private readonly suppressions: Suppressions,
  ) {}

  /** The next rows of the key, in order; the key's cursor moves behind them. */
  async load(key: KeyQueue, lane: ConnectionId): Promise<Delivery[]> {
    const rows = await this.store.waiting(
      key.partition.number,
      lane,
      key.orderKey,
      key.cursor,
      MAX_LOADED,
    );
    const deliveries = rows.map((row) => this.delivery(key, row));
    const last = rows.at(-1);
    if (last !== undefined) key.cursor = { offset: last.offset, pipeline: last.pipeline };
    return deliveries;
  }

  /** Its pipeline or its destination is gone. */
  isDeleted({ pipeline }: Delivery): boolean {
    return this.routes.isDeleted(pipeline.state);
  }

  /** Its user was suppressed since it was routed. */
  isSuppressed({ pipeline, event }: Delivery): boolean {
    return isOfSuppressed(this.suppressions, pipeline.state.workspace, event);
  }

  private delivery(key: KeyQueue, row: StoredDelivery): Delivery {
    const pipeline = this.routes.version(row.pipeline, row.version);
    if (pipeline === undefined)
      throw new Error(`no version ${String(row.version)} of pipeline ${row.pipeline} is known`);
    const { eventText } = readAcceptedEvent(row.body);
    return {
      partition: key.partition,
      offset: row.offset,
      orderKey: row.orderKey,
      pipeline,
      event: eventCodec.parse(eventText),
      eventText,
      body: row.body,
      ticket: null,
      sinceMs: Date.now(),
      attempts: row.attempts,
      firstAttemptMs: row.firstAttemptMs,
      values: undefined,
      valuesBytes: 0,
      isTransforming: false,
      isDone: false,
      reason: row.reason,
    };
  }
}
