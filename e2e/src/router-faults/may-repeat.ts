import { setTimeout as sleep } from 'node:timers/promises';
import { pipelineCounts } from '../harness/pipeline-counts';
import type { Ledger } from './ledger';

/** What has left a dying process arrives within this after its end; its successor takes longer to come up. */
const ON_THE_WIRE_MS = 100;

/**
 * The most that faults may have delivered twice: what was in flight at each, or had ended and was not committed. It is
 * counted, not timed: what the destinations had when a fault was over, less what the routers had committed when it began.
 */
export class MayRepeat {
  private uncommitted = 0;

  constructor(
    private readonly ledger: Ledger,
    private readonly databaseUrl: string,
  ) {}

  /** Deliveries; what several faults may have repeated counts for each. */
  get count(): number {
    return this.uncommitted;
  }

  /** Does what ends a process, or what holds it up until another has its work. @throws Error while the database is away. */
  async during<T>(fault: () => Promise<T>): Promise<T> {
    const counts = await pipelineCounts(this.databaseUrl);
    const committed = counts
      .filter(({ state }) => state === 'Delivered')
      .reduce((sum, { count }) => sum + count, 0);
    const result = await fault();
    await sleep(ON_THE_WIRE_MS);
    this.uncommitted += Math.max(0, this.ledger.distinct - committed);
    return result;
  }
}
