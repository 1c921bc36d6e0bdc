import { setTimeout as pause } from 'node:timers/promises';
import type { RunStep } from '@penstock/contracts';
import { Away } from './away';
import { WholeRunError } from './whole-run-error';

/** How long a run waits for what cannot be reached. All in milliseconds. */
export interface PatienceLimits {
  readonly backoffBaseMs: number;
  readonly backoffCapMs: number;
  /** After which a run without progress fails. */
  readonly limitMs: number;
  /** The same while functions cannot be run. */
  readonly functionLimitMs: number;
}

/** Exponential, from half of it to all of it, so that several do not try at the same moment. */
export const backoffMs = (
  { backoffBaseMs, backoffCapMs }: Pick<PatienceLimits, 'backoffBaseMs' | 'backoffCapMs'>,
  attempts: number,
): number => {
  const most = Math.min(backoffCapMs, backoffBaseMs * 2 ** Math.min(attempts - 1, 30));
  return most * (0.5 + Math.random() / 2);
};

interface Trouble {
  readonly fromMs: number;
  attempts: number;
}

/** Waits between attempts, longer and longer, and gives up after a time without progress. */
export class Patience {
  private readonly troubles = new Map<RunStep, Trouble>();

  constructor(
    private readonly limits: PatienceLimits,
    private readonly signal: AbortSignal,
    /** Called with each failure that is waited for. */
    private readonly onAway: (step: RunStep, error: Away) => void,
  ) {}

  /** For work between the attempts of something else: its success is no progress of that. */
  beside(): Patience {
    return new Patience(this.limits, this.signal, this.onAway);
  }

  /** Something was settled: times without progress begin anew. */
  progress(): void {
    this.troubles.clear();
  }

  /** Repeats the work until it ends otherwise than with {@link Away}. @throws WholeRunError after the limit. */
  async insist<T>(step: RunStep, work: () => Promise<T>): Promise<T> {
    for (;;) {
      this.signal.throwIfAborted();
      try {
        const result = await work();
        this.troubles.delete(step);
        return result;
      } catch (error) {
        if (!(error instanceof Away)) throw error;
        // What an abort has cut off is no trouble of the other side.
        this.signal.throwIfAborted();
        await this.wait(step, error);
      }
    }
  }

  /**
   * Waits before the next attempt.
   *
   * @throws WholeRunError when there was no progress for too long; the signal's reason.
   */
  async wait(step: RunStep, error: Away): Promise<void> {
    const nowMs = performance.now();
    const trouble = this.troubles.get(step) ?? { fromMs: nowMs, attempts: 0 };
    this.troubles.set(step, trouble);
    trouble.attempts += 1;
    this.onAway(step, error);
    const leftMs = trouble.fromMs + this.limitOf(step) - nowMs;
    if (leftMs <= 0) throw new WholeRunError(step, 'Unavailable', error.message, { cause: error });
    const waitMs = Math.max(error.retryAfterMs ?? 0, backoffMs(this.limits, trouble.attempts));
    await this.sleep(Math.min(waitMs, leftMs));
  }

  private limitOf(step: RunStep): number {
    return step === 'Transformation' ? this.limits.functionLimitMs : this.limits.limitMs;
  }

  private async sleep(ms: number): Promise<void> {
    try {
      await pause(ms, undefined, { signal: this.signal });
    } catch (error) {
      this.signal.throwIfAborted();
      throw error;
    }
  }
}
