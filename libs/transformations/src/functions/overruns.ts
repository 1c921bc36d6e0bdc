import type { Clock } from '../time/clock';
import type { Pauses } from './pauses';

/** What a line may have run in vain at once, and the part of further time that it may. */
const AT_ONCE_MS = 10_000;
const PART = 1 / 10;
/** What functions whose circuit is not open may run in vain beyond that. */
const BEYOND_MS = 20_000;

interface Allowance {
  /** At most {@link AT_ONCE_MS}; below zero after what was more than there was. */
  readonly leftMs: number;
  readonly atMs: number;
}

/**
 * Limits for how long functions of a line of a workspace run that do not end by themselves, since they leave less of the
 * processors to everybody: for 10 s at once, and a tenth of the time from then on. Functions that nothing is known of
 * yet, or that have timed out only once or twice, may do so for 20 s more: they do not wait for the rest of those that
 * always do.
 */
export class Overruns {
  private readonly known = new Map<string, Allowance>();

  constructor(
    private readonly clock: Clock,
    private readonly pauses: Pauses,
  ) {}

  /** Records how long a function was run in vain. */
  spend(line: string, ms: number): void {
    this.forgetWhole();
    this.known.set(line, {
      leftMs: this.leftMs(line) - ms,
      atMs: this.clock.nowMs(),
    });
  }

  /**
   * Resolves when a function of the line may have a turn.
   *
   * @param isOpen whether its circuit is.
   * @throws the signal's reason when it is aborted before.
   */
  async rest(line: string, isOpen: boolean, signal?: AbortSignal): Promise<void> {
    const restMs = (): number => {
      const missingMs = (isOpen ? 0 : -BEYOND_MS) - this.leftMs(line);
      return missingMs < 0 || this.pauses.isClosed ? 0 : missingMs / PART + 1;
    };
    for (let ms = restMs(); ms > 0; ms = restMs()) await this.pauses.wait(ms, signal);
  }

  private leftMs(line: string): number {
    const known = this.known.get(line);
    if (known === undefined) return AT_ONCE_MS;
    return Math.min(AT_ONCE_MS, known.leftMs + PART * (this.clock.nowMs() - known.atMs));
  }

  /** Forgets lines that have all of it again. */
  private forgetWhole(): void {
    for (const line of this.known.keys())
      if (this.leftMs(line) === AT_ONCE_MS) this.known.delete(line);
  }
}
