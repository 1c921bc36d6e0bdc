import {
  type ChangeProfileSchema,
  instant,
  type PipelineId,
  primarySourcesOf,
  profilesOf,
  Refusal,
  type RequestContext,
  type StartedProfileChange,
  type WarehouseState,
} from '@penstock/contracts';
import { EventStore } from '@penstock/event-sourcing';
import { printType, type Schema } from '@penstock/schema';
import { type ProfilesDifference, WarehouseFault } from '@penstock/warehouses';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { setTimeout as pause } from 'node:timers/promises';
import { DataKeys } from '../data-keys/data-keys';
import { nextProfilesVersion, openChange } from '../domain/warehouse.decide';
import { refuseWhileResolved, resolutionsEnded } from '../live-resolutions/live-resolutions';
import { existingWarehouse } from '../warehouse/existing-warehouse';
import { operationRefusal } from '../warehouse/fault-refusal';
import { ProfileChangeEndings } from '../warehouse/profile-change-endings';
import { WarehouseChecks } from '../warehouse/warehouse-checks';
import { withWarehouse } from '../warehouse/with-warehouse';
import { affectedPipelines } from './affected-pipelines';
import { PrimarySourceChecks } from './primary-source-checks';
import { differenceOf, isPresent, wantedProfiles } from './wanted-profiles';

/** A bound for the work on a warehouse: rows are rewritten where properties were renamed or dropped. */
const CHANGE_TIMEOUT_MS = 3_600_000;

const POLL_MS = 200;

/** How long a change waits for a resolution: each change asks for one, which is short where little is to be resolved. */
const RESOLUTION_MS = 2_000;

/** Times that a call begins anew, as when the change that it has joined was interrupted. */
const ATTEMPTS = 3;

interface Prepared {
  readonly warehouse: WarehouseState;
  readonly change: StartedProfileChange;
  readonly schema: Schema;
  readonly difference: ProfilesDifference;
}

const sorted = (record: object): string =>
  JSON.stringify(Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1)));

const isSameChange = (one: StartedProfileChange, other: StartedProfileChange): boolean =>
  one.schema === other.schema &&
  sorted(one.primarySources) === sorted(other.primarySources) &&
  sorted(one.rePaths) === sorted(other.rePaths);

/**
 * What has come of a call: the schema is as it is wanted; the same change of another call has ended; or something else has
 * changed since the call began, which is refused if it stays so.
 */
type Outcome = 'done' | 'joined' | Refusal;

const executing = (): Refusal => new Refusal('OperationAlreadyExecuting');

/** The warehouse was changed since the call was prepared. */
const anotherCameFirst = (error: unknown): Outcome => {
  if (error instanceof Refusal && error.code === 'Conflict') return executing();
  throw error;
};

/** Changes the schemas of profiles, each in one transaction of its warehouse. */
@Injectable()
export class ProfileChanges {
  constructor(
    private readonly store: EventStore<EntityManager>,
    private readonly checks: WarehouseChecks,
    private readonly dataKeys: DataKeys,
    private readonly primary: PrimarySourceChecks,
    private readonly endings: ProfileChangeEndings,
  ) {}

  /**
   * Changes the schema, or waits for the same change when it is under way.
   *
   * @param signal fires when nobody waits for the answer any more. A change that was begun goes on.
   * @returns the pipelines that do not fit the schema.
   * @throws Refusal in the order that the API documents.
   */
  async change(
    context: RequestContext,
    input: ChangeProfileSchema,
    signal: AbortSignal,
  ): Promise<readonly PipelineId[]> {
    const { workspace } = context;
    const schema = wantedProfiles(input);
    await existingWarehouse(this.store, context);
    let reason = executing();
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const came = await this.attempt(context, input, schema, signal);
      if (came === 'done') return affectedPipelines(this.store.db, workspace, schema);
      if (came === 'joined') continue;
      if (context.expectedVersion !== undefined) throw new Refusal('Conflict');
      reason = came;
    }
    throw reason;
  }

  /** @throws Refusal */
  private async attempt(
    context: RequestContext,
    input: ChangeProfileSchema,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { workspace } = context;
    const { warehouse } = await existingWarehouse(this.store, { workspace });
    const primarySources = await this.primary.check(schema, input.primarySources, workspace);
    const isPrimarySame = sorted(primarySources) === sorted(primarySourcesOf(warehouse));
    if (isPresent(schema, warehouse) && isPrimarySame) return 'done';
    const difference = differenceOf(warehouse, schema, input.rePaths);
    if (warehouse.mode === 'Inspection') throw new Refusal('InspectionMode');
    await resolutionsEnded(this.store.db, [workspace], RESOLUTION_MS, signal);
    await refuseWhileResolved(this.store, workspace);
    const change = {
      version: nextProfilesVersion(warehouse),
      schema: printType(schema),
      primarySources,
      rePaths: input.rePaths,
      startedAt: instant(new Date()),
    };
    const open = openChange(warehouse);
    if (open === undefined) {
      const prepared = { warehouse, change, schema, difference };
      return this.perform(context, prepared, !isPrimarySame).catch(anotherCameFirst);
    }
    if (isSameChange(open, change)) {
      await this.ended(context, open.version, signal);
      return 'joined';
    }
    await this.endings.settle(workspace);
    return executing();
  }

  private async perform(
    context: RequestContext,
    { warehouse, change, schema, difference }: Prepared,
    marksAll: boolean,
  ): Promise<Outcome> {
    const { workspace, isDryRun = false } = context;
    const opened = this.checks.open(await this.dataKeys.of(this.store.db, workspace), warehouse);
    const progress = new ChangeProgress();
    const begun = () =>
      progress.begin(async () => {
        const command = { type: 'StartProfileChange', change } as const;
        if (!isDryRun) await this.endings.record(workspace, command, context);
      });
    const [from, to] = [profilesOf(warehouse), { version: change.version, schema }];
    const signal = AbortSignal.timeout(CHANGE_TIMEOUT_MS);
    let fault: WarehouseFault | undefined;
    const refusalOf = (found: WarehouseFault): Refusal => operationRefusal((fault = found));
    try {
      await withWarehouse({ ...opened, signal, refusalOf }, (connected) =>
        connected.changeProfiles(workspace, { from, to, difference, marksAll, begun, isDryRun }),
      );
    } catch (error) {
      progress.throwIfRefused();
      // Another call has changed the warehouse before this one had its lock.
      if (!progress.isBegun && fault?.kind === 'outdated') return operationRefusal(fault);
      // Without an answer nobody knows whether it was done: the warehouse tells once it can be reached.
      if (progress.isBegun && !isDryRun && fault !== undefined && fault.kind !== 'unreachable')
        await this.endings.end(workspace, change.version, fault.message, context);
      throw error;
    }
    if (!isDryRun) await this.endings.end(workspace, change.version, null, context);
    return 'done';
  }

  /** Resolves when the change has ended. @throws the reason of the signal */
  private async ended(
    { workspace }: RequestContext,
    version: number,
    signal: AbortSignal,
  ): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      await this.endings.settle(workspace).catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
      });
      const { warehouse } = await existingWarehouse(this.store, { workspace });
      if (openChange(warehouse)?.version !== version) return;
      await pause(POLL_MS);
    }
  }
}

/** How far a change has come, which its error does not tell. */
class ChangeProgress {
  isBegun = false;
  private refused: Error | undefined;

  async begin(record: () => Promise<void>): Promise<void> {
    try {
      await record();
      this.isBegun = true;
    } catch (error) {
      this.refused = error instanceof Error ? error : new Error(String(error));
      throw this.refused;
    }
  }

  /** @throws what the record of the beginning has failed with. */
  throwIfRefused(): void {
    if (this.refused !== undefined) throw this.refused;
  }
}
