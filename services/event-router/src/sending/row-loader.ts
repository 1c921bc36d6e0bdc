import { rowDelivery, type RowDelivery } from '../lanes/delivery';
import { HeldEvent } from '../lanes/held-event';
import type { KeyQueue } from '../lanes/key-queue';
import type { PageLimits } from '../lanes/row-room';
import { settleRow } from '../lanes/settle-row';
import type { MemoryBudget } from '../progress/memory-budget';
import type { CompiledPipeline } from '../routing/compiled-pipeline';
import { readIncoming } from '../routing/incoming';
import type { PipelineVersion, PipelineVersions } from '../routing/pipeline-versions';
import type { DeliveryKey, Ending } from '../store/changes';
import type { KeyRow, RowsAfter } from './rows-of-key';

const UNREADABLE: Ending = {
  state: 'Rejected',
  step: 'InputValidation',
  code: 'Unreadable',
  reason: 'the stored event cannot be read',
};

const nameOf = ({ offset, pipeline }: DeliveryKey): string => `${String(offset)}/${pipeline}`;

export interface RowLoaderContext {
  readonly rowsAfter: RowsAfter;
  readonly budget: MemoryBudget;
  /** Looks up the pipelines of rows; rejects when they cannot be had now. */
  readonly versions: (rows: readonly PipelineVersion[]) => Promise<PipelineVersions>;
  readonly nowMs: () => number;
}

/** Loads stored deliveries, and those of replays, into memory. */
export class RowLoader {
  constructor(private readonly context: RowLoaderContext) {}

  /**
   * The next rows of the key that have not ended, in order. Ends rows that cannot be read, so that the key continues.
   */
  async load(key: KeyQueue, limits: PageLimits): Promise<RowDelivery[]> {
    const deliveries: RowDelivery[] = [];
    const settling = new Set(key.partition.settling.map(nameOf));
    let after = key.rowCursor;
    for (;;) {
      const rows = await this.context.rowsAfter(key, after, limits);
      const versions = await this.context.versions(rows.filter(({ isErased }) => !isErased));
      if (key.partition.isGone) return [];
      for (const row of rows) {
        const before = after;
        after = { offset: row.offset, pipeline: row.pipeline };
        // A live delivery that ends has the same name as that of a replay, whose rows leave their source at once.
        if (row.replay === null && settling.has(nameOf(row))) continue;
        const delivery = this.take(key, row, before, versions);
        if (delivery !== undefined) deliveries.push(delivery);
      }
      if (deliveries.length > 0 || rows.length === 0) return deliveries;
    }
  }

  /** Undefined: the row was ended here. */
  private take(
    key: KeyQueue,
    row: KeyRow,
    before: DeliveryKey | null,
    versions: PipelineVersions,
  ): RowDelivery | undefined {
    if (row.isErased) {
      this.endErased(key, row);
      return undefined;
    }
    const delivery = this.read(key, row, before, versions.get(row));
    if (delivery === undefined) this.endUnreadable(key, row);
    return delivery;
  }

  private read(
    key: KeyQueue,
    row: KeyRow,
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
    const held = new HeldEvent(read, this.context.budget, 'rows');
    return rowDelivery({ held, pipeline, orderKey, attempts, reason }, before, row);
  }

  private endUnreadable(key: KeyQueue, row: KeyRow): void {
    const { partition } = key;
    const { pipeline, attempts, redrive, replay } = row;
    const atMs = this.context.nowMs();
    key.endRow();
    if (replay !== null) return replay.book.lost(row.offset, 'unreadable');
    partition.count(pipeline, UNREADABLE, atMs);
    partition.gather((gathered) => {
      if (redrive === null) gathered.time({ pipeline, attempts, atMs, tookMs: undefined });
      settleRow(gathered, row, UNREADABLE, atMs);
    });
  }

  private endErased(key: KeyQueue, row: KeyRow): void {
    const { offset, pipeline, version, attempts, redrive, replay } = row;
    key.endRow();
    replay?.book.lost(offset, 'expired');
    if (redrive === null) return;
    const atMs = this.context.nowMs();
    key.partition.gather(({ redriven }) => {
      redriven.push({
        ...{ offset, pipeline, version, attempts, atMs },
        job: redrive.job,
        endings: null,
      });
    });
  }
}
