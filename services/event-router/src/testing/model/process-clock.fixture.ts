import { Clock } from '../../time/clock';
import type { Simulation } from './simulation.fixture';

/** Milliseconds since 1970 at which each simulation begins. */
export const BEGINNING_MS = Date.UTC(2026, 0, 1);

/** The clock of one process; it ends with it, and stands still while the process is frozen. */
export class ProcessClock extends Clock {
  wallStepMs = 0;
  /** When something befell the process that may make others repeat what it did, in milliseconds of the simulation. */
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

  /** Nothing of the process comes about any more. */
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
      // One after the other, each with what follows from it, as timers that are overdue.
      for (const work of works) this.soon(work);
    });
  }

  noteIncident(): void {
    this.incidentsMs.push(this.simulation.nowMs);
  }

  /** The answer, as this process gets it: never when it is dead, later when it is frozen. */
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
