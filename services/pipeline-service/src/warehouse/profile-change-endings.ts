import { instant, type RequestContext, type WorkspaceId } from '@penstock/contracts';
import { EventStore } from '@penstock/event-sourcing';
import { newId } from '@penstock/runtime';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Configuration } from '../command-handling/configuration';
import { checkVersion } from '../command-handling/check-version';
import { appendTo, load } from '../command-handling/decide-on';
import { DataKeys } from '../data-keys/data-keys';
import {
  openChange,
  type WarehouseCommand,
  warehouseDecider,
  warehouseStream,
} from '../domain/warehouse.decide';
import { besideChange } from './beside-change';
import { operationRefusal } from './fault-refusal';
import { WarehouseChecks } from './warehouse-checks';
import { withWarehouse } from './with-warehouse';

/** The time for a look at the warehouse, from connecting on. */
const LOOK_TIMEOUT_MS = 10_000;

/** What the latest change says whose worker died before the warehouse was changed. */
const INTERRUPTED = 'interrupted';

/** Who is recorded as the one who acts. */
type Acting = Pick<RequestContext, 'actor' | 'requestId'>;

/** Records how changes of the schema of profiles began and ended. */
@Injectable()
export class ProfileChangeEndings {
  constructor(
    private readonly configuration: Configuration,
    private readonly store: EventStore<EntityManager>,
    private readonly checks: WarehouseChecks,
    private readonly dataKeys: DataKeys,
  ) {}

  /** Records a step of a change under a command id of its own. @throws Refusal; Conflict at another version than expected */
  async record(
    workspace: WorkspaceId,
    command: WarehouseCommand,
    { actor, requestId, expectedVersion }: Acting & Pick<RequestContext, 'expectedVersion'>,
  ): Promise<void> {
    const context = { commandId: newId(), actor, requestId, workspace, organization: '' as never };
    await this.configuration.execute(context, async (reading) => {
      const own = await load(reading, warehouseDecider, warehouseStream(workspace));
      checkVersion(expectedVersion === undefined ? {} : { expectedVersion }, own.version);
      const facts = warehouseDecider.decide(command, own.state);
      const beside = await besideChange(reading, own, facts);
      return {
        streams: [appendTo(own, facts), ...beside.streams],
        reply: {},
        verify: beside.verify,
      };
    });
  }

  /** Records that a change has ended, unless that is recorded already. */
  end(
    workspace: WorkspaceId,
    version: number,
    error: string | null,
    { actor, requestId }: Acting,
  ): Promise<void> {
    const command = { type: 'EndProfileChange', version, error } as const;
    const endedAt = instant(new Date());
    return this.record(workspace, { ...command, endedAt }, { actor, requestId });
  }

  /**
   * Ends a change that nobody is working on any more: it holds if the warehouse has its version, and else it was
   * interrupted. Changes nothing when no change is open.
   *
   * @throws Refusal OperationAlreadyExecuting while somebody is working on it; ServiceUnavailable,
   *   InvalidWarehouseSettings when the warehouse does not tell.
   */
  async settle(workspace: WorkspaceId): Promise<void> {
    const { state } = await load(this.store, warehouseDecider, warehouseStream(workspace));
    const change = state === null ? undefined : openChange(state);
    if (state === null || change === undefined) return;
    const opened = this.checks.open(await this.dataKeys.of(this.store.db, workspace), state);
    const signal = AbortSignal.timeout(LOOK_TIMEOUT_MS);
    const version = await withWarehouse(
      { ...opened, signal, refusalOf: operationRefusal },
      (connected) => connected.profilesVersion(workspace),
    );
    const requestId = newId();
    const error = version === change.version ? null : INTERRUPTED;
    await this.end(workspace, change.version, error, { actor: 'system', requestId });
  }
}
