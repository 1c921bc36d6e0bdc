import type { WorkspaceId } from '@penstock/contracts';
import type { Unresolved } from '@penstock/warehouses';
import type { RunWriters } from '../workers/run-writers';

/** Looks at warehouses at a time: what waits for one that does not answer takes no place from what is asked of others. */
const AT_ONCE = 32;
/** Source: the specification of identities, "Endpoints": how long an answer waits for the warehouse. */
const LOOK_MS = 5_000;

/** Looks into warehouses for identities that are to be resolved, once at a time in each. */
export class PendingLooks {
  private readonly looks = new Map<WorkspaceId, Promise<Unresolved | undefined>>();

  constructor(private readonly writers: Pick<RunWriters, 'connect'>) {}

  /** @returns undefined when the warehouse does not answer in time, or too many are looked into. Never rejects. */
  look(workspace: WorkspaceId): Promise<Unresolved | undefined> {
    const underWay = this.looks.get(workspace);
    if (underWay !== undefined) return underWay;
    if (this.looks.size >= AT_ONCE) return Promise.resolve(undefined);
    const look = this.at(workspace)
      .catch(() => undefined)
      .finally(() => this.looks.delete(workspace));
    this.looks.set(workspace, look);
    return look;
  }

  private async at(workspace: WorkspaceId): Promise<Unresolved> {
    const warehouse = await this.writers.connect(workspace, AbortSignal.timeout(LOOK_MS));
    try {
      return await warehouse.unresolved(workspace);
    } finally {
      await warehouse.close();
    }
  }
}
