import type { OutcomeRecord, StoredDelivery, UnreadableRecord } from '../../store/changes';
import type { TimesRow } from '../../store/counted-rows';
import { MemoryDatabase } from '../../store/memory/memory-database';
import { MemoryRouterStore } from '../../store/memory/memory-router-store';
import type { PipelineCount } from '../../store/memory/pipeline-counts';
import type { PartitionProgress, RouterStore } from '../../store/router-store';
import type { RouterStoreOptions } from '../../store/router-store-options';
import { POISON } from './odd-messages.fixture';
import { BEGINNING_MS } from './process-clock.fixture';
import type { Simulation } from './simulation.fixture';

type Placed<Row> = Row & { readonly partition: number };

/** The stored counts, times, rows, outcomes and unreadable records. */
export interface Stored {
  readonly counts: readonly PipelineCount[];
  readonly rows: readonly Placed<StoredDelivery>[];
  readonly outcomes: readonly Placed<OutcomeRecord>[];
  readonly unreadable: readonly Placed<UnreadableRecord>[];
  readonly times: readonly TimesRow[];
}

/** The database of a simulation, with the clock of the simulation; it refuses bodies with {@link POISON}. */
export abstract class Storage {
  /** A store for one process. */
  abstract open(options: RouterStoreOptions): RouterStore;
  /** The progress of all partitions that have a row, by number. */
  abstract progress(): Promise<ReadonlyMap<number, PartitionProgress>>;
  abstract stored(): Promise<Stored>;
}

/** A database in memory. */
export class MemoryStorage extends Storage {
  private readonly database: MemoryDatabase;

  constructor(simulation: Simulation) {
    super();
    this.database = new MemoryDatabase(
      () => BEGINNING_MS + simulation.nowMs,
      ({ body }) => body.includes(POISON),
    );
  }

  override open(options: RouterStoreOptions): RouterStore {
    return new MemoryRouterStore(this.database, options);
  }

  override progress(): Promise<ReadonlyMap<number, PartitionProgress>> {
    const { partitions } = this.database;
    return Promise.resolve(new Map(partitions.map(([number, { progress }]) => [number, progress])));
  }

  /** The rows of {@link stored}, at less cost. */
  rows(): Promise<Stored['rows']> {
    return Promise.resolve(this.database.rows);
  }

  /** The counts of {@link stored}, at less cost. */
  counts(): Promise<Stored['counts']> {
    return Promise.resolve(this.database.pipelineCounts);
  }

  override stored(): Promise<Stored> {
    const { pipelineCounts: counts, timesRows: times, rows, outcomes, unreadable } = this.database;
    return Promise.resolve({ counts, times, rows, outcomes, unreadable });
  }
}
