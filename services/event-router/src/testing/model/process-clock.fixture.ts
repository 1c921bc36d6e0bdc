import { Clock } from '../../time/clock';
import type { Simulation } from './simulation.fixture';

/** Milliseconds since 1970 at which each simulation begins. */
export const BEGINNING_MS = Date.UTC(2026, 0, 1);

/** The clock of one process; its timers do not run while the process is frozen, or after it was killed. */
export class ProcessClock extends Clock {
  wallStepMs = 0;
  /**
   * Times of incidents (crashes, freezes, failed calls), in milliseconds of the simulation, that excuse repetitions.
   */
  readonly incidentsMs: number[] = [];
  private isDead = false;
  private frozen: (() => void)[] | undefined;

  constructor(private readonly simulation: Simulation) {
    super();
  }

  override nowMs(): number {
    return this.simulation.nowMs;
  }

  override wallMs(): number {
    return BEGINNING_MS + this.simulation.nowMs + this.wallStepMs;
  }

  override after(delayMs: number, work: () => void): () => void {
    return this.simulation.later(delayMs, () => {
      this.guarded(work);
    });
  }

  override soon(work: () => void): void {
    this.after(0, work);
  }

  /** Kills the process: its timers and answers are dropped. */
  kill(): void {
    this.isDead = true;
    this.noteIncident();
  }

  get isKilled(): boolean {
    return this.isDead;
  }

  freeze(forMs: number): void {
    this.noteIncident();
    this.frozen ??= [];
    this.simulation.later(forMs, () => {
      this.noteIncident();
      const works = this.frozen ?? [];
      this.frozen = undefined;
      // Each in a turn of its own, as overdue timers run.
      for (const work of works) this.soon(work);
    });
  }

  noteIncident(): void {
    this.incidentsMs.push(this.simulation.nowMs);
  }

  /** Passes an answer on to this process: never when it is dead, later when it is frozen. */
  async reach<T>(answer: Promise<T>): Promise<T> {
    const settled = await answer.then(
      (value) => () => value,
      (error: unknown) => () => {
        throw error;
      },
    );
    await new Promise<void>((resolve) => {
      this.guarded(resolve);
    });
    return settled();
  }

  private guarded(work: () => void): void {
    if (this.isDead) return;
    if (this.frozen === undefined) work();
    else this.frozen.push(work);
  }
}
