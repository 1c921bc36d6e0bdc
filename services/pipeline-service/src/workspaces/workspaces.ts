import {
  type Nothing,
  type Recorded,
  type RequestContext,
  type WorkspaceId,
  type WorkspaceState,
} from '@penstock/contracts';
import {
  PostgresEventStore,
  type Reading,
  type StreamAppend,
  VersionConflict,
} from '@penstock/event-sourcing';
import { EntityManager } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { checkVersion } from '../command-handling/check-version';
import { Configuration } from '../command-handling/configuration';
import { appendTo, deletions, load } from '../command-handling/decide-on';
import {
  contentsOf,
  contentsUnchanged,
  existingWorkspace,
} from '../command-handling/existing-workspace';
import type { RequestFor } from '../command-handling/handles';
import { LimitChecks } from '../command-handling/limits';
import { DataKeys } from '../data-keys/data-keys';
import { connectionDecider, connectionStream } from '../domain/connection.decide';
import { pipelineDecider, pipelineStream } from '../domain/pipeline.decide';
import { warehouseDecider, warehouseStream } from '../domain/warehouse.decide';
import { workspaceDecider, workspaceStream } from '../domain/workspace.decide';
import { revocationsOf } from '../organizations/revoke-keys';
import { WorkspaceRow } from '../read-model/workspace.row';
import { outcomeOf } from '../warehouse/outcome-of';
import { WarehouseChecks } from '../warehouse/warehouse-checks';

/** What can be done with workspaces. */
@Injectable()
export class Workspaces {
  constructor(
    private readonly configuration: Configuration,
    private readonly db: EntityManager,
    private readonly limits: LimitChecks,
    private readonly checks: WarehouseChecks,
    private readonly dataKeys: DataKeys,
  ) {}

  /** Its warehouse is tried, and becomes its own, before anything is decided. Its data key is there from its first fact. */
  async create({
    context,
    in: { id, name, warehouse: asked },
  }: RequestFor<'CreateWorkspace'>): Promise<Recorded<{ readonly id: WorkspaceId }>> {
    const { organization, isDryRun = false } = context;
    const belowLimit = (db: EntityManager): Promise<void> =>
      this.limits.oneMore(db, 'workspaces', organization);
    const { key, seals } = this.dataKeys.make(id);
    const tried = await outcomeOf(async () => {
      await belowLimit(this.db);
      return this.checks.create(
        seals,
        { id, ...asked },
        {
          path: '/warehouse',
          isDryRun,
          isFreed: (owner) =>
            this.db.existsBy(WorkspaceRow, { id: owner, organization, deleted: true }),
        },
      );
    });
    return this.configuration.execute(context, async (reading) => {
      const [warehouse, workspace] = [tried(), { id, organization, name }];
      const own = await load(reading, workspaceDecider, workspaceStream(id));
      const store = await load(reading, warehouseDecider, warehouseStream(id));
      const facts = workspaceDecider.decide({ type: 'CreateWorkspace', workspace }, own.state);
      const equipping = warehouseDecider.decide(
        { type: 'CreateWarehouse', warehouse },
        store.state,
      );
      return {
        streams: [appendTo(own, facts), appendTo(store, equipping)],
        reply: { id },
        verify: async (db) => {
          await belowLimit(db);
          await this.dataKeys.keep(db, key);
        },
      };
    });
  }

  rename({ context, in: { id, name } }: RequestFor<'RenameWorkspace'>): Promise<Recorded<Nothing>> {
    return this.configuration.execute(context, async (reading) => {
      const own = await expected(reading, id, context);
      const facts = workspaceDecider.decide({ type: 'RenameWorkspace', name }, own.state);
      return { streams: [appendTo(own, facts)], reply: {} };
    });
  }

  /**
   * Its API keys are revoked with it. Its data key goes with it too: its facts stay, the secrets in them are gone. Its
   * warehouse is not touched, as it may be away: whoever connects it next finds in its marker a workspace that is no more.
   */
  delete({ context, in: { id } }: RequestFor<'DeleteWorkspace'>): Promise<Recorded<Nothing>> {
    return this.configuration.execute(context, async (reading) => {
      const own = await expected(reading, id, context);
      const facts = workspaceDecider.decide({ type: 'DeleteWorkspace' }, own.state);
      const keys = await revocationsOf(reading, own.workspace);
      const contents = await contentsOf(reading.db, id);
      const [pipelines, connections] = [
        contents.pipelines.map(pipelineStream),
        contents.connections.map(connectionStream),
      ];
      return {
        streams: [
          ...(await deletions(reading, pipelineDecider, pipelines, { type: 'DeletePipeline' })),
          ...(await deletions(reading, connectionDecider, connections, {
            type: 'DeleteConnection',
          })),
          keys,
          appendTo(own, facts),
        ],
        reply: {},
        verify: async (db) => {
          await contentsUnchanged(id, contents)(db);
          await noFurtherKeys(db, own.workspace, keys);
          await this.dataKeys.erase(db, id);
        },
      };
    });
  }
}

/** An append without facts is left out, and with it the check of its version. @throws VersionConflict */
const noFurtherKeys = async (
  db: EntityManager,
  workspace: WorkspaceState,
  { facts }: StreamAppend,
): Promise<void> => {
  if (facts.length > 0) return;
  const now = await revocationsOf(new PostgresEventStore(db), workspace);
  if (now.facts.length > 0) throw new VersionConflict(`workspace ${workspace.id} got an API key`);
};

/** @throws Refusal WorkspaceNotExist, Conflict */
const expected = async (
  reading: Reading<EntityManager>,
  id: WorkspaceId,
  context: RequestContext,
) => {
  const own = await existingWorkspace(reading, id, context.organization);
  checkVersion(context, own.version);
  return own;
};
