import { rowDelivery, type RowDelivery } from '../lanes/delivery';
import { HeldEvent } from '../lanes/held-event';
import type { KeyQueue } from '../lanes/key-queue';
import type { MemoryBudget } from '../progress/memory-budget';
import type { CompiledPipeline } from '../routing/compiled-pipeline';
import { readIncoming } from '../routing/incoming';
import type { PipelineVersions } from '../routing/pipeline-versions';
import type { DeliveryKey, Ending, StoredDelivery } from '../store/changes';
import type { RouterStore } from '../store/router-store';

/** Most rows, and bytes of rows, that are loaded at once. */
const LIMITS = { rows: 100, maxBytes: 1_000_000 };
const UNREADABLE: Ending = {
  state: 'Rejected',
  step: 'InputValidation',
  code: 'Unreadable',
  reason: 'the stored event cannot be read',
};

const nameOf = ({ offset, pipeline }: DeliveryKey): string => `${String(offset)}/${pipeline}`;

export interface RowLoaderContext {
  readonly store: RouterStore;
  readonly budget: MemoryBudget;
  /** Looks up the pipelines of rows; rejects when they cannot be had now. */
  readonly versions: (rows: readonly StoredDelivery[]) => Promise<PipelineVersions>;
  readonly nowMs: () => number;
}

/** Loads stored deliveries into memory. */
export class RowLoader {
  constructor(private readonly context: RowLoaderContext) {}

  /**
   * The next rows of the key that have not ended, in order. Ends rows that cannot be read, so that the key continues.
   */
  async load(key: KeyQueue): Promise<RowDelivery[]> {
    const { store } = this.context;
    const deliveries: RowDelivery[] = [];
    const settling = new Set(key.partition.settling.map(nameOf));
    let after = key.rowCursor;
    for (;;) {
      const rows = await store.waiting(key.partition.number, key.tally.lane, key.id, after, LIMITS);
      const versions = await this.context.versions(rows);
      if (key.partition.isGone) return [];
      for (const row of rows) {
        const before = after;
        after = { offset: row.offset, pipeline: row.pipeline };
        if (settling.has(nameOf(row))) continue;
        const delivery = this.read(key, row, before, versions.get(row));
        if (delivery === undefined) this.endUnreadable(key, row);
        else deliveries.push(delivery);
      }
      if (deliveries.length > 0 || rows.length === 0) return deliveries;
    }
  }

  private read(
    key: KeyQueue,
    row: StoredDelivery,
    before: DeliveryKey | null,
    pipeline: CompiledPipeline | undefined,
  ): RowDelivery | undefined {
    const { partition } = key;
    const { offset, orderKey, body, attempts, reason } = row;
    const record = { partition: partition.number, offset, key: orderKey, value: body };
    const incoming = readIncoming({ ...record, timestampMs: this.context.nowMs() });
    if (incoming.kind === 'unreadable' || incoming.event === undefined || pipeline === undefined)
      return undefined;
    const { event, eventText, receivedAtMs, traceparent } = incoming;
    const read = { partition, offset, orderKey, event, eventText, body, receivedAtMs, traceparent };
    const held = new HeldEvent(read, this.context.budget);
    return rowDelivery({ held, pipeline, orderKey, attempts, reason }, before);
  }

  private endUnreadable(key: KeyQueue, { offset, pipeline }: StoredDelivery): void {
    const { partition } = key;
    key.endRow();
    partition.count(pipeline, UNREADABLE, this.context.nowMs());
    partition.gather(({ settled }) => {
      settled.push({ offset, pipeline, ending: UNREADABLE });
    });
  }
}
