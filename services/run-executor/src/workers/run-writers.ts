import {
  type ConfigurationReplica,
  FIRST_PROFILE_SCHEMA,
  type PipelineId,
  type ProfileSchema,
  profilesOf,
  type RunId,
  type WorkspaceId,
} from '@penstock/contracts';
import { SealBroken, type Seals } from '@penstock/runtime';
import { parseJson } from '@penstock/schema';
import type {
  IdentityWriter,
  MatchWriter,
  Warehouse,
  WarehousePlatform,
  WarehouseReader,
  WarehouseSettings,
  WarehouseWriter,
  Warehouses,
} from '@penstock/warehouses';
import { atWarehouse } from '../engine/run-performance';
import { WholeRunError } from '../engine/whole-run-error';

/** What writers are opened with. */
export interface RunWritersDependencies {
  readonly replica: Pick<ConfigurationReplica, 'warehouse'>;
  readonly warehouses: Pick<Warehouses, 'get'>;
  readonly seals: Seals;
}

/** Opens the warehouses that runs write into, and exports read. */
export class RunWriters {
  constructor(private readonly deps: RunWritersDependencies) {}

  /** The present schema of the profiles of a workspace. */
  profilesOf(workspace: WorkspaceId): ProfileSchema {
    const state = this.deps.replica.warehouse(workspace);
    return state === undefined ? FIRST_PROFILE_SCHEMA : profilesOf(state);
  }

  /**
   * Opens the warehouse of a workspace with the settings that it has now. The writer must be closed.
   *
   * @param signal ends its connections.
   * @param profiles what the records are made by; absent: the present schema.
   * @throws Away, WholeRunError
   */
  open(
    workspace: WorkspaceId,
    signal: AbortSignal,
    profiles = this.profilesOf(workspace),
  ): Promise<WarehouseWriter> {
    const { platform, settings } = this.placeOf(workspace);
    const options = { workspace, profiles, keyedHash: this.deps.seals.keyedHash };
    return atWarehouse(() => platform.openWriter(settings, options, signal));
  }

  /**
   * Connects to the warehouse of a workspace, which must be closed.
   *
   * @param signal ends everything that is done with the connection.
   * @throws Away, WholeRunError
   */
  connect(workspace: WorkspaceId, signal: AbortSignal): Promise<Warehouse> {
    const { platform, settings } = this.placeOf(workspace);
    return atWarehouse(() => platform.connect(settings, signal));
  }

  /**
   * Opens what reads the warehouse of a workspace, with the settings that it has now.
   *
   * @param signal ends the reader: there is no other way to close it.
   * @throws WarehouseFault, WholeRunError
   */
  openReader(workspace: WorkspaceId, signal: AbortSignal): Promise<WarehouseReader> {
    const { platform, settings, epoch } = this.placeOf(workspace);
    return platform.openReader(settings, { workspace, epoch, connections: 1 }, signal);
  }

  /** Opens the warehouse, works with it and closes it. @throws Away, LeaseLost, WholeRunError; what the work throws. */
  async within<T>(
    workspace: WorkspaceId,
    signal: AbortSignal,
    work: (writer: WarehouseWriter) => Promise<T>,
  ): Promise<T> {
    const writer = await this.open(workspace, signal);
    try {
      return await work(writer);
    } finally {
      await writer.close().catch(() => undefined);
    }
  }

  /** Takes the role of a run over: what a lower epoch writes is refused from then on. */
  begin(writer: WarehouseWriter, run: RunId, epoch: number): Promise<IdentityWriter> {
    return atWarehouse(() => writer.begin({ role: `run ${run}`, epoch }));
  }

  /** As {@link begin}, for the users of the application that a run exports to. */
  beginMatches(
    writer: WarehouseWriter,
    { run, pipeline }: { readonly run: RunId; readonly pipeline: PipelineId },
    epoch: number,
  ): Promise<MatchWriter> {
    return atWarehouse(() =>
      writer.beginMatches({ role: `run ${run}`, epoch }, `${pipeline} ${run}`),
    );
  }

  private placeOf(workspace: WorkspaceId): {
    readonly platform: WarehousePlatform;
    readonly settings: WarehouseSettings;
    /** Of its readers: the version of the configuration. */
    readonly epoch: number;
  } {
    const { replica, warehouses } = this.deps;
    const state = replica.warehouse(workspace);
    const platform = state && warehouses.get(state.platform);
    if (state === undefined || platform === undefined)
      throw new WholeRunError('Finalize', 'InvalidWarehouse', 'data warehouse does not exist');
    const settings = platform.checkSettings(this.opened(state.settings, workspace));
    return { platform, settings, epoch: state.version };
  }

  private opened(settings: string, workspace: WorkspaceId) {
    try {
      return parseJson(this.deps.seals.open(settings, workspace));
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error;
      const message = 'the settings of the data warehouse cannot be opened';
      throw new WholeRunError('Finalize', 'InvalidWarehouse', message, { cause: error });
    }
  }
}
