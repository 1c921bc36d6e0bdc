import { setTimeout as sleep } from 'node:timers/promises';
import { pipelineCounts } from '../harness/pipeline-counts';
import type { Ledger } from './ledger';

/** Time within which requests that a killed process has sent arrive; a successor takes longer to start. */
const ON_THE_WIRE_MS = 100;

/**
 * The highest number of deliveries that faults may have repeated: those in flight, or ended and not committed. For each
 * fault it adds the deliveries at the destinations after it, less those committed by the routers before it.
 */
export class MayRepeat {
  private uncommitted = 0;

  constructor(
    private readonly ledger: Ledger,
    private readonly databaseUrl: string,
    /** Ids of the pipelines of the ledger; default: all of the installation. */
    private readonly pipelines?: readonly string[],
  ) {}

  /** Number of deliveries; those that several faults may have repeated are counted for each. */
  get count(): number {
    return this.uncommitted;
  }

  /** Runs a fault that kills or freezes a process. @throws Error while the database is unavailable. */
  async during<T>(fault: () => Promise<T>): Promise<T> {
    const counts = await pipelineCounts(this.databaseUrl);
    const committed = counts
      .filter(({ state }) => state === 'Delivered')
      .filter(({ pipeline }) => this.pipelines?.includes(pipeline) ?? true)
      .reduce((sum, { count }) => sum + count, 0);
    const result = await fault();
    await sleep(ON_THE_WIRE_MS);
    this.uncommitted += Math.max(0, this.ledger.distinct - committed);
    return result;
  }
}
