import type { ConnectionId } from '@penstock/contracts';
import type { Lane } from './lanes/lane';
import type { MemoryBudget } from './progress/memory-budget';

/** A further look is worth it when so much more is in use. */
const STEP = 0.01;

/** Lets the largest lanes wait in the log when memory is tight. */
export class MemoryRelief {
  private triedAt = 0;

  constructor(
    private readonly budget: MemoryBudget,
    private readonly lanes: Iterable<Lane>,
  ) {}

  /** Sheds from 80 % of the budget on. */
  relieve(): void {
    if (!this.budget.isTight) {
      this.triedAt = 0;
      return;
    }
    if (this.budget.used < this.triedAt) return;
    this.shed();
    this.triedAt = this.budget.used + STEP * this.budget.maxBytes;
  }

  /**
   * The largest lane detaches, again and again, until less than 60 % of the budget are in use.
   *
   * @param spared what these have in memory stays there.
   */
  shed(spared: ReadonlySet<ConnectionId> = new Set()): void {
    const others = [...this.lanes].filter(({ connection }) => !spared.has(connection));
    const bySize = others.sort((a, b) => b.bytes - a.bytes);
    for (const lane of bySize) {
      if (this.budget.isRelieved || lane.length === 0) break;
      lane.detachAll();
    }
  }
}
