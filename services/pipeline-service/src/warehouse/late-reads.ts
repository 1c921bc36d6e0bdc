import { Refusal, type WarehouseState } from '@penstock/contracts';
import { EventStore } from '@penstock/event-sourcing';
import { SealBroken } from '@penstock/runtime';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { load } from '../command-handling/decide-on';
import { DataKeys } from '../data-keys/data-keys';
import { warehouseDecider, warehouseStream } from '../domain/warehouse.decide';
import { operationRefusal } from './fault-refusal';
import { WarehouseChecks } from './warehouse-checks';
import { withWarehouse } from './with-warehouse';

/** Source: the specification of the warehouse, "Who may read and write when": statements have ten seconds to end. */
const GRACE_MS = 10_000;

/** With connecting, and the end of reads that are cancelled: the change of the mode is to be answered after 15 seconds. */
const TIMEOUT_MS = 14_000;

/** Keeps out of a warehouse what reads from it by an earlier mode, in whichever process. */
@Injectable()
export class LateReads {
  constructor(
    private readonly store: EventStore<EntityManager>,
    private readonly checks: WarehouseChecks,
    private readonly dataKeys: DataKeys,
  ) {}

  /**
   * Resolves when nobody reads by an earlier mode any more; at once where the mode allows reading. Reads that have not ended
   * after ten seconds are cancelled. A warehouse that cannot be used now is left as it is.
   */
  async keepOut(workspace: string): Promise<void> {
    const { state } = await load(this.store, warehouseDecider, warehouseStream(workspace));
    if (state?.mode !== 'Maintenance') return;
    try {
      await this.raise(state);
    } catch (error) {
      if (!(error instanceof Refusal) && !(error instanceof SealBroken)) throw error;
    }
  }

  private async raise(state: WarehouseState): Promise<void> {
    const opened = this.checks.open(await this.dataKeys.of(this.store.db, state.id), state);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    await withWarehouse({ ...opened, signal, refusalOf: operationRefusal }, (connected) =>
      connected.keepReadersOut(state.id, { epoch: state.version, graceMs: GRACE_MS }),
    );
  }
}
