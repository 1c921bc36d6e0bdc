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

/** How long something has failed, and when it is tried again. */
export interface Attempts {
  /** Failures since the last progress. */
  readonly count: number;
  /** Milliseconds since the first one. */
  readonly forMs: number;
  /** Milliseconds until the next attempt; 0: there is none. */
  readonly nextMs: number;
}

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
    private readonly onAway: (step: RunStep, error: Away, attempts: Attempts) => void,
    /** Called when nothing is waited for any more. */
    private readonly onProgress: () => void = () => undefined,
  ) {}

  /** For work between the attempts of something else: its success is no progress of that. */
  beside(): Patience {
    return new Patience(this.limits, this.signal, this.onAway, this.onProgress);
  }

  /** Something was settled: times without progress begin anew. */
  progress(): void {
    if (this.troubles.size === 0) return;
    this.troubles.clear();
    this.onProgress();
  }

  /** Repeats the work until it ends otherwise than with {@link Away}. @throws WholeRunError after the limit. */
  async insist<T>(step: RunStep, work: () => Promise<T>): Promise<T> {
    for (;;) {
      this.signal.throwIfAborted();
      try {
        const result = await work();
        if (this.troubles.delete(step) && this.troubles.size === 0) this.onProgress();
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
    const leftMs = Math.max(0, trouble.fromMs + this.limitOf(step) - nowMs);
    const waitMs = Math.max(error.retryAfterMs ?? 0, backoffMs(this.limits, trouble.attempts));
    const nextMs = Math.min(waitMs, leftMs);
    this.onAway(step, error, { count: trouble.attempts, forMs: nowMs - trouble.fromMs, nextMs });
    if (leftMs === 0) throw new WholeRunError(step, 'Unavailable', error.message, { cause: error });
    await this.sleep(nextMs);
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
