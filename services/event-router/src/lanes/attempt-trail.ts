import type { OwnedPartition } from '../progress/owned-partition';
import type { AttemptRecord } from '../store/changes';

/** Failed attempts of a delivery that are recorded at once. */
const FIRST_ATTEMPTS = 10;
/** Later ones that are recorded when the delivery ends: the last that this process has made. */
const LAST_ATTEMPTS = 10;

/**
 * Records the failed attempts of one delivery: the first ones at once, of the later ones only the last, when it ends. So a
 * destination that is down for long is not written down for long.
 */
export class AttemptTrail {
  /** The attempt of which it is not known yet when the delivery is due again. */
  private latest: { dueMs: number } | undefined;
  private late: AttemptRecord[] = [];

  constructor(private readonly partition: OwnedPartition) {}

  add(attempt: Omit<AttemptRecord, 'dueMs'>): void {
    const record = { ...attempt, dueMs: 0 };
    this.latest = record;
    if (attempt.attempt <= FIRST_ATTEMPTS)
      this.partition.gather(({ attempts }) => {
        attempts.push(record);
      });
    else this.late = [...this.late.slice(1 - LAST_ATTEMPTS), record];
  }

  /** Notes when the delivery is due again. Call it in the same turn as {@link add}, before a commit is composed. */
  dueAt(dueMs: number): void {
    if (this.latest !== undefined) this.latest.dueMs = dueMs;
    this.latest = undefined;
  }

  /** Call it when the delivery ends. */
  end(): void {
    const { late } = this;
    this.late = [];
    this.latest = undefined;
    if (late.length > 0)
      this.partition.gather(({ attempts }) => {
        attempts.push(...late);
      });
  }
}
