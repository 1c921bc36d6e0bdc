import { type Recorded, Refusal, type RequestContext, type WorkspaceId } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import { EntityManager } from 'typeorm';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo, load } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { LimitChecks } from '../command-handling/limits';
import { DataKeys } from '../data-keys/data-keys';
import { warehouseDecider, warehouseStream } from '../domain/warehouse.decide';
import { workspaceDecider, workspaceStream } from '../domain/workspace.decide';
import { WorkspaceRow } from '../read-model/workspace.row';
import { outcomeOf } from '../command-handling/outcome-of';
import { type InitialisedWarehouse, WarehouseChecks } from '../warehouse/warehouse-checks';
import { BegunWorkspaces } from './begun-workspaces';

/**
 * Creates a workspace with its warehouse and its data key. The warehouse is initialised before the decision, which
 * waits for no other server, and released when the command is refused or cannot be recorded.
 */
@Controller()
export class CreateWorkspace {
  constructor(
    private readonly configuration: Configuration,
    private readonly db: EntityManager,
    private readonly limits: LimitChecks,
    private readonly checks: WarehouseChecks,
    private readonly begun: BegunWorkspaces,
    private readonly dataKeys: DataKeys,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('CreateWorkspace')
  handle(@Payload() request: RequestFor<'CreateWorkspace'>, @Ctx() received: LogRequestContext) {
    const { context } = request;
    const { id, name, warehouse: wanted } = request.in;
    const { organization, isDryRun = false } = context;
    const checkLimit = (db: EntityManager) => this.limits.oneMore(db, 'workspaces', organization);
    const isFreed = async (owner: WorkspaceId) =>
      (await this.db.existsBy(WorkspaceRow, { id: owner, organization, deleted: true })) ||
      this.begun.giveUp(owner, context);
    return this.slow.handle(request, received, async () => {
      if (!isDryRun) await this.begun.begin(id, context);
      const { key, seals } = this.dataKeys.make(id);
      const initialised = await outcomeOf(async () => {
        await checkLimit(this.db);
        const options = { path: '/warehouse', isDryRun, isFreed };
        return this.checks.create(seals, { id, ...wanted }, options);
      });
      const created = this.configuration.execute(context, async (reading) => {
        const [{ warehouse }, workspace] = [initialised(), { id, organization, name }];
        const own = await load(reading, workspaceDecider, workspaceStream(id));
        const store = await load(reading, warehouseDecider, warehouseStream(id));
        const create = { type: 'CreateWorkspace', workspace } as const;
        const createWarehouse = { type: 'CreateWarehouse', warehouse } as const;
        return {
          streams: [
            appendTo(own, workspaceDecider.decide(create, own.state)),
            appendTo(store, warehouseDecider.decide(createWarehouse, store.state)),
          ],
          reply: { id },
          verify: async (db) => {
            await checkLimit(db);
            if (!isDryRun) await this.begun.end(db, id);
            await this.dataKeys.keep(db, key);
          },
        };
      });
      return this.releasedUnlessMade(id, created, initialised, context);
    });
  }

  /**
   * Releases the warehouse when the workspace was not made: whoever tries again has another id, whose warehouse it cannot
   * become. It stays initialised where it cannot be reached any more, or where nobody can tell what was recorded; then the
   * workspace stays begun.
   */
  private async releasedUnlessMade(
    id: WorkspaceId,
    created: Promise<Recorded<{ readonly id: WorkspaceId }>>,
    initialised: () => InitialisedWarehouse,
    { commandId, isDryRun }: RequestContext,
  ): Promise<Recorded<{ readonly id: WorkspaceId }>> {
    try {
      const made = await created;
      // A repeated command has begun again what is made, or the workspace of another id. It stays made in any case.
      await this.begun.forget(id).catch(() => undefined);
      return made;
    } catch (error) {
      const isRefused = error instanceof Refusal && error.kind !== 'unavailable';
      const release = async (): Promise<void> => {
        if (!isRefused && isDryRun !== true && (await this.configuration.hasReply(commandId)))
          return;
        await releaseIfInitialised(initialised);
        await this.begun.forget(id);
      };
      await release().catch(() => undefined);
      throw error;
    }
  }
}

/** @throws Refusal when the warehouse cannot be reached */
const releaseIfInitialised = async (initialised: () => InitialisedWarehouse): Promise<void> => {
  let release: InitialisedWarehouse['release'];
  try {
    ({ release } = initialised());
  } catch {
    return;
  }
  await release();
};
