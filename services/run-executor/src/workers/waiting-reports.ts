import { type Instant, instant, type RunId, type RunStep, type RunWait } from '@penstock/contracts';
import type { Attempts } from '../engine/patience';
import type { RunStore } from '../store/run-store';

/** Failures from which on a run is shown as waiting: a single one passes in half a second. */
const SHOWN_FROM = 2;
/** Milliseconds of waiting from which on it is the health of the pipeline, of which every change is kept for ever. */
const NOTED_FROM_MS = 10_000;

/** What the reports of one claim depend on. */
export interface WaitingReportsDependencies {
  readonly run: RunId;
  readonly epoch: number;
  readonly store: Pick<RunStore, 'beginWaiting' | 'setWaiting'>;
  /** Tells the pipeline service since when the run waits; `null`: it waits no more. */
  readonly note: (since: Instant | null) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Records what a run waits for, one report after the other. A report that fails is left out: the next one has it all. */
export class WaitingReports {
  private isWaiting = false;
  private isNoted = false;
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly deps: WaitingReportsDependencies) {}

  /** Something could not be reached. */
  failed(step: RunStep, reason: string, { count, forMs, nextMs }: Attempts): void {
    if (count < SHOWN_FROM || nextMs === 0) return;
    const { run, epoch, store } = this.deps;
    const now = Date.now();
    const waiting: RunWait = {
      since: instant(new Date(now - forMs)),
      reason,
      nextAttemptAt: instant(new Date(now + nextMs)),
    };
    const isNew = !this.isWaiting;
    this.isWaiting = true;
    this.report(() =>
      isNew
        ? store.beginWaiting(run, epoch, { ...waiting, step })
        : store.setWaiting(run, epoch, waiting),
    );
    if (forMs < NOTED_FROM_MS || this.isNoted) return;
    this.report(async () => {
      await this.deps.note(waiting.since);
      this.isNoted = true;
    });
  }

  /** Nothing is waited for any more. */
  ended(): void {
    if (!this.isWaiting) return;
    this.isWaiting = false;
    const { run, epoch, store } = this.deps;
    this.report(() => store.setWaiting(run, epoch, null));
    this.report(async () => {
      if (this.isNoted) await this.deps.note(null);
      this.isNoted = false;
    });
  }

  private report(record: () => Promise<void>): void {
    this.last = this.last.then(record).catch(this.deps.onError);
  }
}
