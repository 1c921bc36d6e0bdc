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

  /** Sheds when readers have no room, and again when memory has grown since. */
  relieve(): void {
    if (this.budget.hasRoom) this.triedAt = 0;
    else if (this.budget.used >= this.triedAt) this.shed();
  }

  /** Sheds while readers have no room: what was in requests before may have come back. Call it periodically. */
  lookAfter(): void {
    if (!this.budget.hasRoom) this.shed();
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
    this.triedAt = this.budget.used + STEP * this.budget.maxBytes;
  }
}
