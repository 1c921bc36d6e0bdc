import type { DeliveryKey } from '../store/changes';
import type { OffsetRange, PartitionProgress } from '../store/router-store';

const nameOf = ({ offset, pipeline }: DeliveryKey): string => `${String(offset)}/${pipeline}`;

/** Deliveries after `routed` that had ended or had a row when the tables were migrated from version 1. */
export class EarlierEndings {
  private readonly finished: readonly OffsetRange[];
  private readonly stored: ReadonlySet<string>;

  constructor({
    finishedBeyond,
    storedBeyond,
  }: Pick<PartitionProgress, 'finishedBeyond' | 'storedBeyond'>) {
    this.finished = finishedBeyond;
    this.stored = new Set(storedBeyond.map(nameOf));
  }

  /** Whether the event has ended for every pipeline. */
  hasFinished(offset: number): boolean {
    return this.finished.some(({ start, end }) => offset >= start && offset < end);
  }

  /** Whether the delivery has a row. */
  hasRow(key: DeliveryKey): boolean {
    return this.stored.size > 0 && this.stored.has(nameOf(key));
  }
}
