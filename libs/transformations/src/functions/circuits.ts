import type { Clock } from '../time/clock';
import type { CircuitState } from './function-runner';
import type { Pauses } from './pauses';
import type { BatchEnd } from './wire/messages';

/** Number of time-outs in a row that opens a circuit. */
const OPENS_AT = 3;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** Maximal number of functions that are remembered; the one without a change for longest is dropped first. */
const MAX_KNOWN = 10_000;

interface Circuit {
  readonly timeOuts: number;
  readonly notBeforeMs: number;
}

type End = Pick<BatchEnd, 'cause'>;

const forgetOldest = (names: Pick<Map<string, unknown>, 'size' | 'keys' | 'delete'>): void => {
  const [oldest] = names.keys();
  if (names.size > MAX_KNOWN && oldest !== undefined) names.delete(oldest);
};

const pauseMs = (timeOuts: number): number =>
  timeOuts < OPENS_AT ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (timeOuts - OPENS_AT), LONGEST_PAUSE_MS);

/**
 * Keeps functions that do not end from occupying places: after three time-outs in a row a function pauses before each
 * further turn, for 1 s at first, then twice as long each time, up to 30 s. A turn that ends by itself closes the
 * circuit; one that runs out of memory does not count. A function is proven while its last turn has ended by itself.
 */
export class Circuits {
  private readonly known = new Map<string, Circuit>();
  /** Functions whose last turn ended by itself. */
  private readonly proven = new Set<string>();

  constructor(
    private readonly clock: Clock,
    private readonly pauses: Pauses,
  ) {}

  /**
   * Resolves when the function may have its next turn.
   *
   * @throws the signal's reason when it is aborted before.
   */
  async pause(name: string, signal?: AbortSignal): Promise<void> {
    const notBeforeMs = this.known.get(name)?.notBeforeMs ?? 0;
    await this.pauses.wait(notBeforeMs - this.clock.nowMs(), signal);
  }

  /** Records how a turn of the function has ended. */
  record(name: string, { cause }: End): void {
    const earlier = this.known.get(name)?.timeOuts ?? 0;
    this.proven.delete(name);
    if (cause === undefined) {
      this.known.delete(name);
      this.proven.add(name);
      forgetOldest(this.proven);
    }
    if (cause !== 'time') return;
    const timeOuts = earlier + 1;
    this.known.delete(name);
    this.known.set(name, { timeOuts, notBeforeMs: this.clock.nowMs() + pauseMs(timeOuts) });
    forgetOldest(this.known);
  }

  /** What is known of the circuit of a function. */
  stateOf(name: string): CircuitState {
    if ((this.known.get(name)?.timeOuts ?? 0) >= OPENS_AT) return 'open';
    return this.isProven(name) ? 'closed' : 'unknown';
  }

  /** Whether the last turn of the function ended by itself. */
  isProven(name: string): boolean {
    return this.proven.has(name);
  }
}
