import type { WorkspaceId } from '@penstock/contracts';
import type { WarehouseWriter } from '@penstock/warehouses';
import type { RunStore } from '../store/run-store';
import type { RunWriters } from './run-writers';

/** What sweeping depends on. */
export interface WarehouseSweepsDependencies {
  readonly store: Pick<RunStore, 'unswept' | 'swept'>;
  readonly writers: Pick<RunWriters, 'within'>;
  /** Workspaces whose warehouse may be written to now. */
  readonly writable: () => readonly WorkspaceId[];
  /** Has what deleted pipelines have left there removed. */
  readonly findLeft: (workspace: WorkspaceId, warehouse: WarehouseWriter) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

const DAY_MS = 86_400_000;
/** Milliseconds for one warehouse. */
const SWEEP_MS = 60_000;

/** Removes, once a day for each warehouse, what writers that were lost have left there. */
export class WarehouseSweeps {
  constructor(private readonly deps: WarehouseSweepsDependencies) {}

  /** Sweeps what is due; what fails is due again. */
  async sweep(): Promise<void> {
    const { store, writable, onError } = this.deps;
    for (const workspace of await store.unswept(writable(), DAY_MS))
      try {
        await this.sweepOne(workspace);
      } catch (error) {
        onError(error);
      }
  }

  private async sweepOne(workspace: WorkspaceId): Promise<void> {
    const { store, writers, findLeft, onError } = this.deps;
    const signal = AbortSignal.timeout(SWEEP_MS);
    await writers.within(workspace, signal, async (warehouse) => {
      await warehouse.dropLeftOvers();
      // It is looked for again the next day: what cannot be told now must not have the warehouse swept over and over.
      await findLeft(workspace, warehouse).catch(onError);
    });
    await store.swept(workspace);
  }
}
