import { RUN_STEPS, type RunPosition } from '@penstock/contracts';
import type { Extent } from './record-source';
import type { RunLedger, RunSoFar, SettledBatch } from './run-ledger';
import type { Tally } from './tally';

/** What a batch of an export has come to. */
export interface ExportBatch {
  readonly counts: Pick<Tally, 'passed' | 'failed' | 'errors'>;
  readonly position: RunPosition;
  readonly extent: Extent;
  readonly warnings: readonly string[];
}

/** Nothing is known of profiles from an earlier reading. */
const NOTHING_RECOUNTED = RUN_STEPS.map(() => 0);

/** Numbers and settles the batches of an export. */
export class ExportBatches {
  private next: number;

  constructor(
    run: Pick<RunSoFar, 'nextBatch'>,
    private readonly ledger: RunLedger,
  ) {
    this.next = run.nextBatch;
  }

  /** The number of the batch that is settled next. */
  get number(): number {
    return this.next;
  }

  /** @param insist repeats the work until it succeeds. @throws LeaseLost, or what insisting throws. */
  async settle(
    { counts: { passed, failed, errors }, position, extent, warnings }: ExportBatch,
    insist: (work: () => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const batch: SettledBatch = {
      ...{ sequence: this.next, position, passed, failed, errors, warnings, extent },
      ...{ duplicates: 0, withoutId: 0, cursor: null, recounted: NOTHING_RECOUNTED },
    };
    await insist(() => this.ledger.settle(batch));
    this.next += 1;
  }
}
