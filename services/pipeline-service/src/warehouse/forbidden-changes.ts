import { Refusal, type WorkspaceId } from '@penstock/contracts';
import { EventStore } from '@penstock/event-sourcing';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DataKeys } from '../data-keys/data-keys';
import { openChange } from '../domain/warehouse.decide';
import { existingWarehouse } from './existing-warehouse';
import { operationRefusal } from './fault-refusal';
import { ProfileChangeEndings } from './profile-change-endings';
import { WarehouseChecks } from './warehouse-checks';
import { withWarehouse } from './with-warehouse';

/** Source: the specification of the warehouse, "Who may read and write when": statements have ten seconds to end. */
const GRACE_MS = 10_000;

/** For the interruption, and the record of it: the change of the mode is to be answered after 15 seconds. */
const INTERRUPT_MS = 4_000;

const POLL_MS = 200;

/** Ends the change of the schema of profiles that the new mode of a warehouse forbids. */
@Injectable()
export class ForbiddenChanges {
  constructor(
    private readonly store: EventStore<EntityManager>,
    private readonly checks: WarehouseChecks,
    private readonly dataKeys: DataKeys,
    private readonly endings: ProfileChangeEndings,
  ) {}

  /**
   * Resolves when no change that the mode forbids is under way: it has ten seconds to end, then it is interrupted. One in a
   * warehouse that cannot be reached is left as it is.
   *
   * @param signal fires when nobody waits for the answer any more.
   */
  async end(workspace: WorkspaceId, signal: AbortSignal): Promise<void> {
    if (await this.ended(workspace, GRACE_MS, signal)) return;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(INTERRUPT_MS)]);
    try {
      await this.interrupt(workspace, limit);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
    await this.ended(workspace, INTERRUPT_MS, signal);
  }

  /** @returns whether there is none any more, after the limit at the latest. */
  private async ended(
    workspace: WorkspaceId,
    limitMs: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const endMs = performance.now() + limitMs;
    for (;;) {
      const { warehouse } = await existingWarehouse(this.store, { workspace });
      if (warehouse.mode !== 'Inspection' || openChange(warehouse) === undefined) return true;
      if (signal.aborted || performance.now() >= endMs) return false;
      await this.settle(workspace);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** Ends a change that nobody is working on any more. */
  private async settle(workspace: WorkspaceId): Promise<void> {
    try {
      await this.endings.settle(workspace);
    } catch (error) {
      // It is being worked on, or the warehouse is away.
      if (!(error instanceof Refusal)) throw error;
    }
  }

  private async interrupt(workspace: WorkspaceId, signal: AbortSignal): Promise<void> {
    const { warehouse } = await existingWarehouse(this.store, { workspace });
    const opened = this.checks.open(await this.dataKeys.of(this.store.db, workspace), warehouse);
    await withWarehouse({ ...opened, signal, refusalOf: operationRefusal }, (connected) =>
      connected.interruptChange(),
    );
  }
}
