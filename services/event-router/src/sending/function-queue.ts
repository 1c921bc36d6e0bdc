import type { RecordValue } from '@penstock/schema';
import {
  type FunctionBatch,
  type FunctionRunner,
  RecordFailure,
  SandboxUnavailable,
} from '@penstock/transformations';
import { type BackoffLimits, backoffMs } from '../lanes/backoff';
import type { Clock } from '../time/clock';
import { RouterFault } from '../faults/router-fault';

/** One record to be transformed by a function. */
export interface FunctionTask {
  readonly record: RecordValue;
  /** Whether the result is not needed any more. */
  readonly isVoid: () => boolean;
  readonly onResult: (result: RecordValue | RecordFailure) => void;
}

export interface FunctionQueueContext {
  readonly functions: Pick<FunctionRunner, 'run' | 'circuitOf'>;
  readonly clock: Clock;
  readonly backoff: BackoffLimits;
  readonly onError: (error: unknown) => void;
}

/** Most records of one call of a function, and how long the first of them waits for others. */
const MAX_RECORDS = 100;
const MAX_WAIT_MS = 200;

const INTERNAL_ERROR = new RecordFailure('Transformation', 'an internal error has occurred');

/** Runs one function on records, in order, one batch at a time. While no sandbox is available, all of them wait. */
export class FunctionQueue {
  private waiting: FunctionTask[] = [];
  private isWorking = false;
  private isFilling = false;
  private isStopped = false;
  private wake: () => void = () => undefined;

  constructor(
    private readonly batch: FunctionBatch,
    private readonly context: FunctionQueueContext,
  ) {}

  add(task: FunctionTask): void {
    this.waiting.push(task);
    if (this.isFilling && this.waiting.length >= MAX_RECORDS) this.wake();
    if (!this.isWorking) void this.work();
  }

  /** Whether no record is here: neither waiting nor in the function. */
  get isIdle(): boolean {
    return !this.isWorking;
  }

  /** Drops waiting records and ignores results that are still to come. */
  stop(): void {
    this.isStopped = true;
    this.waiting = [];
    this.wake();
  }

  private async work(): Promise<void> {
    this.isWorking = true;
    let waitMs = MAX_WAIT_MS;
    while (this.waiting.length > 0) {
      await this.fill(waitMs);
      const sinceMs = this.context.clock.nowMs();
      await this.run(this.waiting.splice(0, MAX_RECORDS));
      waitMs = Math.max(0, MAX_WAIT_MS - (this.context.clock.nowMs() - sinceMs));
    }
    this.isWorking = false;
  }

  private async fill(waitMs: number): Promise<void> {
    if (this.waiting.length >= MAX_RECORDS) return;
    this.isFilling = true;
    await this.pause(waitMs);
    this.isFilling = false;
  }

  private pause(ms: number): Promise<void> {
    if (this.isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.context.clock.after(ms, resolve);
      this.wake = () => {
        cancel();
        resolve();
      };
    });
  }

  private async run(all: readonly FunctionTask[]): Promise<void> {
    for (let attempts = 1; !this.isStopped; attempts += 1) {
      const tasks = all.filter(({ isVoid }) => !isVoid());
      if (tasks.length === 0) return;
      try {
        const { records } = await this.context.functions.run(
          this.batch,
          tasks.map(({ record }) => record),
        );
        return this.answer(tasks, records);
      } catch (error) {
        if (!(error instanceof SandboxUnavailable)) return this.runApart(tasks, error);
        await this.pause(backoffMs(attempts, this.context.backoff));
      }
    }
  }

  private answer(
    tasks: readonly FunctionTask[],
    results: readonly (RecordValue | RecordFailure)[],
  ): void {
    if (this.isStopped) return;
    tasks.forEach(({ onResult }, index) => {
      onResult(results[index] ?? INTERNAL_ERROR);
    });
  }

  /** After a failure of our own code, runs each record alone, so that only the one that causes it fails. */
  private async runApart(tasks: readonly FunctionTask[], error: unknown): Promise<void> {
    const [task, ...others] = tasks;
    if (task === undefined) return;
    if (others.length > 0) for (const each of tasks) await this.run([each]);
    else {
      this.context.onError(
        new RouterFault(
          'an event is rejected, since running a function for it has failed by an error of Penstock itself',
          {},
          error,
        ),
      );
      task.onResult(INTERNAL_ERROR);
    }
  }
}
