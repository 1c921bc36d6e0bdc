import type { Lane } from './lanes/lane';
import type { LaneId } from './store/lane-id';
import type { MemoryBudget } from './progress/memory-budget';

/** Share of the budget by which memory must have grown before lanes are detached again. */
const STEP = 0.01;

/** Detaches the largest lanes when memory is tight. */
export class MemoryRelief {
  private triedAt = 0;

  constructor(
    private readonly budget: MemoryBudget,
    private readonly lanes: Iterable<Lane>,
  ) {}

  /** Sheds when 80 % of the budget are in use. */
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
   * Detaches the lanes in order of size, until less than 60 % of the budget are in use.
   *
   * @param spared lanes that are not detached.
   */
  shed(spared: ReadonlySet<LaneId> = new Set()): void {
    const others = [...this.lanes].filter(({ identity }) => !spared.has(identity.id));
    const bySize = others.sort((a, b) => b.bytes - a.bytes);
    for (const lane of bySize) {
      if (this.budget.isRelieved || lane.length === 0) break;
      lane.detachAll();
    }
  }
}
