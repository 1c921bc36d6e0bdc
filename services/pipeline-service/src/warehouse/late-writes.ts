import { type PipelineId, profilesOf, type WarehouseState } from '@penstock/contracts';
import { EventStore } from '@penstock/event-sourcing';
import { SealBroken } from '@penstock/runtime';
import { WarehouseFault } from '@penstock/warehouses';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { load } from '../command-handling/decide-on';
import { DataKeys } from '../data-keys/data-keys';
import { warehouseDecider, warehouseStream } from '../domain/warehouse.decide';
import { WarehouseChecks } from './warehouse-checks';

/** The time for connecting, and for statements that are being executed to end. */
const TIMEOUT_MS = 10_000;

/** Milliseconds of the database's clock. */
const CLOCK = 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS epoch';

/** The fence is raised by whoever begins. */
const NOBODY = { id: '', profile: '' };
const NO_PIPELINE = '' as PipelineId;

/**
 * Keeps out of a warehouse what routers still write by an earlier mode: they write under the version of its configuration; and
 * what executors still erase or remove there.
 */
@Injectable()
export class LateWrites {
  constructor(
    private readonly store: EventStore<EntityManager>,
    private readonly checks: WarehouseChecks,
    private readonly dataKeys: DataKeys,
  ) {}

  /**
   * Resolves when no router or executor that does not know the present mode yet can write any more; at once where the mode allows
   * writing. A warehouse that cannot be used now is left as it is: routers that know the mode do not write.
   */
  async keepOut(workspace: string): Promise<void> {
    const { state } = await load(this.store, warehouseDecider, warehouseStream(workspace));
    if (state === null || state.mode === 'Normal') return;
    try {
      await this.raise(state);
    } catch (error) {
      if (!(error instanceof WarehouseFault) && !(error instanceof SealBroken)) throw error;
    }
  }

  private async raise(state: WarehouseState): Promise<void> {
    const seals = await this.dataKeys.of(this.store.db, state.id);
    const { platform, settings } = this.checks.open(seals, state);
    const { keyedHash } = seals;
    const options = { workspace: state.id, profiles: profilesOf(state), keyedHash };
    const writer = await platform.openWriter(settings, options, AbortSignal.timeout(TIMEOUT_MS));
    try {
      await writer.beginEvents({ role: 'events', epoch: state.version });
      // As executors claim erasures and removals: later claims have a greater epoch.
      const [clock] = await this.store.db.query<{ epoch: number }[]>(CLOCK);
      const epoch = clock?.epoch ?? 1;
      await writer.beginErasure({ role: 'erasure', epoch }, NOBODY);
      await writer.beginRemoval({ role: 'removal', epoch }, NO_PIPELINE);
    } finally {
      await writer.close();
    }
  }
}
