import {
  type ConfigurationState,
  ConfigurationReplica,
  connectionView,
  type ConnectionView,
  existingWarehouse,
  type Instant,
  type OrganizationId,
  pipelineView,
  type PipelineView,
  Refusal,
  warehouseView,
  type WarehouseView,
  type WorkspaceId,
  workspaceView,
  type WorkspaceView,
} from '@penstock/contracts';
import { FactHistory } from '@penstock/event-sourcing';
import { Injectable } from '@nestjs/common';

/** The configuration of a workspace as it was. */
@Injectable()
export class ConfigurationAt {
  constructor(private readonly history: FactHistory) {}

  /** @throws Refusal ConnectionNotExist when it was not there then. */
  async connection(id: string, workspace: WorkspaceId, at: Instant): Promise<ConnectionView> {
    const configuration = await this.configurationOf(workspace, at);
    const state = configuration.connection(id);
    if (state === undefined) throw new Refusal('ConnectionNotExist');
    const sources = configuration.sourcesOf(state.id);
    return connectionView(state, sources, configuration.pipelinesOn(state.id));
  }

  /** @throws Refusal PipelineNotExist when it was not there then. */
  async pipeline(id: string, workspace: WorkspaceId, at: Instant): Promise<PipelineView> {
    const configuration = await this.configurationOf(workspace, at);
    const state = configuration.pipeline(id);
    const connection = state && configuration.connection(state.connection);
    if (connection === undefined || state === undefined) throw new Refusal('PipelineNotExist');
    return pipelineView(state, connection);
  }

  /** @throws Refusal WorkspaceNotExist when it was not there then. */
  async workspace(
    id: WorkspaceId,
    organization: OrganizationId,
    at: Instant,
  ): Promise<WorkspaceView> {
    const state = (await this.configurationOf(id, at)).workspace(id);
    if (state?.organization !== organization) throw new Refusal('WorkspaceNotExist');
    return workspaceView(state);
  }

  /** @throws Refusal WorkspaceNotExist when the workspace was not there then, InvalidWarehouseSettings when it had none. */
  async warehouse(id: WorkspaceId, at: Instant): Promise<WarehouseView> {
    const configuration = await this.configurationOf(id, at);
    if (configuration.workspace(id) === undefined) throw new Refusal('WorkspaceNotExist');
    return warehouseView(existingWarehouse(configuration.warehouse(id)));
  }

  private async configurationOf(
    workspace: WorkspaceId,
    at: Instant,
  ): Promise<ConfigurationReplica> {
    const configuration = new ConfigurationReplica();
    const states = (await this.history.statesAt(workspace, at)) as ConfigurationState[];
    for (const state of states) configuration.apply({ position: 0, state });
    return configuration;
  }
}
