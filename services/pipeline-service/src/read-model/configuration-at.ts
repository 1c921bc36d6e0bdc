import {
  type ConfigurationState,
  ConfigurationReplica,
  type ConnectionView,
  type Instant,
  type PipelineId,
  type PipelineView,
  Refusal,
  type WarehouseState,
  type WorkspaceId,
  type WorkspaceState,
} from '@penstock/contracts';
import { FactHistory } from '@penstock/event-sourcing';
import { Injectable } from '@nestjs/common';
import { connectionView } from './connection-view';
import { pipelineView } from './pipeline-view';

/** Sorted by their ids. */
const idsOf = <Id extends string>(objects: Iterable<{ readonly id: Id }>): Id[] =>
  [...objects].map(({ id }) => id).sort();

/** The configuration of a workspace as it was. */
@Injectable()
export class ConfigurationAt {
  constructor(private readonly history: FactHistory) {}

  /** @throws Refusal ConnectionNotExist when it was not there then. */
  async connection(id: string, workspace: WorkspaceId, at: Instant): Promise<ConnectionView> {
    const configuration = await this.configurationOf(workspace, at);
    const state = configuration.connection(id);
    if (state === undefined) throw new Refusal('ConnectionNotExist');
    const linked = configuration
      .connectionsOf(workspace)
      .filter(({ links }) => links.includes(state.id));
    return connectionView(state, idsOf(linked), idsOf(configuration.pipelinesOn(state.id)));
  }

  /** @throws Refusal PipelineNotExist when it was not there then. */
  async pipeline(id: string, workspace: WorkspaceId, at: Instant): Promise<PipelineView> {
    const configuration = await this.configurationOf(workspace, at);
    const state = configuration.pipeline(id as PipelineId);
    const connection = state && configuration.connection(state.connection);
    if (connection === undefined || state === undefined || state.deleted)
      throw new Refusal('PipelineNotExist');
    return pipelineView(state, connection);
  }

  /** @throws Refusal WorkspaceNotExist when it was not there then. */
  async workspace(id: WorkspaceId, at: Instant): Promise<WorkspaceState> {
    const state = (await this.statesOf(id, at)).find((each) => each.kind === 'workspace');
    if (state === undefined || state.deleted) throw new Refusal('WorkspaceNotExist');
    return state;
  }

  /**
   * @returns null where the workspace had none then.
   * @throws Refusal WorkspaceNotExist when the workspace was not there then.
   */
  async warehouse(id: WorkspaceId, at: Instant): Promise<WarehouseState | null> {
    await this.workspace(id, at);
    const states = await this.statesOf(id, at);
    return states.find((each) => each.kind === 'warehouse') ?? null;
  }

  private async configurationOf(
    workspace: WorkspaceId,
    at: Instant,
  ): Promise<ConfigurationReplica> {
    const configuration = new ConfigurationReplica();
    for (const state of await this.statesOf(workspace, at))
      configuration.apply({ position: 0, state });
    return configuration;
  }

  private async statesOf(workspace: WorkspaceId, at: Instant): Promise<ConfigurationState[]> {
    return (await this.history.statesAt(workspace, at)) as ConfigurationState[];
  }
}
