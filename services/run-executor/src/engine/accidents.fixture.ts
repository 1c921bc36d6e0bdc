import fc from 'fast-check';
import { Away } from './away';

/** Something that happens to a worker at the n-th call of what it uses: before the call has its effect, or after. */
export interface Accident {
  readonly at: number;
  readonly isAfter: boolean;
  readonly kind: 'away' | 'crash' | 'freeze';
}

export class Crash extends Error {}

/** Calls of one worker, which accidents happen to. */
export class Calls {
  private count = 0;
  private isDead = false;
  /** Resolves when the worker is frozen. */
  readonly frozen: Promise<void>;
  private freeze: () => void = () => undefined;
  private thaw: () => void = () => undefined;
  private readonly thawed = new Promise<void>((resolve) => (this.thaw = resolve));

  constructor(private readonly accident: Accident | undefined) {
    this.frozen = new Promise((resolve) => (this.freeze = resolve));
  }

  wake(): void {
    this.thaw();
  }

  readonly call = async <T>(work: () => Promise<T>): Promise<T> => {
    if (this.isDead) throw new Crash();
    this.count += 1;
    const { accident } = this;
    if (accident?.at !== this.count) return work();
    if (accident.isAfter) {
      const result = await work();
      await this.happen(accident);
      return result;
    }
    await this.happen(accident);
    return work();
  };

  private async happen({ kind }: Accident): Promise<void> {
    if (kind === 'away') throw new Away('cannot be reached');
    if (kind === 'crash') {
      this.isDead = true;
      throw new Crash();
    }
    this.freeze();
    await this.thawed;
  }
}

/** Something that happens early in a run. */
export const accident: fc.Arbitrary<Accident> = fc.record({
  at: fc.integer({ min: 1, max: 30 }),
  isAfter: fc.boolean(),
  kind: fc.constantFrom<Accident['kind'][]>('away', 'crash', 'freeze'),
});
