import {
  type AlertState,
  alertView,
  type AlertView,
  type ConnectionId,
  type ConnectionState,
  connectionView,
  type ConnectionView,
  existingWarehouse,
  type HealthState,
  type Instant,
  type OrganizationId,
  type PipelineId,
  type PipelineState,
  type RunControlState,
  pipelineView,
  type PipelineView,
  Refusal,
  type WarehouseState,
  warehouseView,
  type WarehouseView,
  type WorkspaceId,
  type WorkspaceState,
  workspaceView,
  type WorkspaceView,
} from '@penstock/contracts';
import { FactHistory } from '@penstock/event-sourcing';
import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { alertStream } from '../domain/alert.decide';
import { connectionStream } from '../domain/connection.decide';
import { healthStream } from '../domain/health.decide';
import { pipelineStream } from '../domain/pipeline.decide';
import { runControlStream } from '../domain/run-control.decide';
import { warehouseStream } from '../domain/warehouse.decide';
import { workspaceStream } from '../domain/workspace.decide';

/** Streams of all pipelines that were created on a connection. */
const PIPELINE_STREAMS = `
  SELECT stream FROM penstock.facts
  WHERE type = 'PipelineCreated' AND data->>'connection' = $1 AND position <= $2 ORDER BY stream`;

/** Streams of all sources that were linked to a destination. */
const SOURCE_STREAMS = `
  SELECT DISTINCT stream FROM penstock.facts
  WHERE type = 'ConnectionLinked' AND data->>'destination' = $1 AND position <= $2 ORDER BY stream`;

/** The refusal of a moment at which changes may still be recorded. */
const tooLate = (): Refusal =>
  new Refusal('BadRequest', {
    details: [{ path: '/at', message: 'must lie at least a second back' }],
  });

/**
 * Finds objects as of a time, from the facts alone. The answer for a time never changes: a query waits for appends
 * under way, and later facts get a later time than any that was queried.
 */
@Injectable()
export class ConfigurationAt {
  constructor(
    private readonly history: FactHistory,
    private readonly db: EntityManager,
  ) {}

  /** @throws Refusal ConnectionNotExist when it did not exist then. */
  async connection(id: string, workspace: WorkspaceId, at: Instant): Promise<ConnectionView> {
    const position = await this.positionAt(at);
    const state = await this.connectionState(id, workspace, position);
    if (state === undefined) throw new Refusal('ConnectionNotExist');
    const sources = await this.sourcesOf(state.id, position);
    const [health] = await this.healthsAt([state.id], position);
    return connectionView(state, sources, await this.pipelinesOn(state.id, position), health);
  }

  /** @throws Refusal PipelineNotExist when it did not exist then. */
  async pipeline(id: string, workspace: WorkspaceId, at: Instant): Promise<PipelineView> {
    const position = await this.positionAt(at);
    const [state] = await this.statesAt<PipelineState>([pipelineStream(id)], position);
    const isThere = state?.workspace === workspace && !state.deleted;
    const connection = isThere
      ? await this.connectionState(state.connection, workspace, position)
      : undefined;
    if (!isThere || connection === undefined) throw new Refusal('PipelineNotExist');
    const healths = await this.healthsAt([id, connection.id], position);
    const [control] = await this.statesAt<RunControlState>([runControlStream(id)], position);
    return pipelineView(state, connection, healths, control);
  }

  /** @throws Refusal AlertNotExist when it did not exist then. */
  async alert(id: string, workspace: WorkspaceId, at: Instant): Promise<AlertView> {
    const position = await this.positionAt(at);
    const [state] = await this.statesAt<AlertState>([alertStream(id)], position);
    if (state?.workspace !== workspace || state.deleted) throw new Refusal('AlertNotExist');
    return alertView(state);
  }

  /** @throws Refusal WorkspaceNotExist when it did not exist then. */
  async workspace(
    id: WorkspaceId,
    organization: OrganizationId,
    at: Instant,
  ): Promise<WorkspaceView> {
    const state = await this.workspaceState(id, await this.positionAt(at));
    if (state?.organization !== organization) throw new Refusal('WorkspaceNotExist');
    return workspaceView(state);
  }

  /**
   * @throws Refusal WorkspaceNotExist when the workspace did not exist then, InvalidWarehouseSettings when it had none.
   */
  async warehouse(id: WorkspaceId, at: Instant): Promise<WarehouseView> {
    const position = await this.positionAt(at);
    if ((await this.workspaceState(id, position)) === undefined)
      throw new Refusal('WorkspaceNotExist');
    const [state] = await this.statesAt<WarehouseState>([warehouseStream(id)], position);
    return warehouseView(existingWarehouse(state));
  }

  private async positionAt(at: Instant): Promise<number> {
    const position = await this.history.positionAt(at);
    if (position === undefined) throw tooLate();
    return position;
  }

  private async statesAt<State>(streams: readonly string[], position: number): Promise<State[]> {
    return (await this.history.statesAt(streams, position)) as State[];
  }

  private async workspaceState(
    id: WorkspaceId,
    position: number,
  ): Promise<WorkspaceState | undefined> {
    const [state] = await this.statesAt<WorkspaceState>([workspaceStream(id)], position);
    return state?.deleted === false ? state : undefined;
  }

  private async connectionState(
    id: string,
    workspace: WorkspaceId,
    position: number,
  ): Promise<ConnectionState | undefined> {
    const [state] = await this.statesAt<ConnectionState>([connectionStream(id)], position);
    return state?.workspace === workspace && !state.deleted ? state : undefined;
  }

  private healthsAt(ids: readonly string[], position: number): Promise<HealthState[]> {
    return this.statesAt(ids.map(healthStream), position);
  }

  private async sourcesOf(destination: ConnectionId, position: number): Promise<ConnectionId[]> {
    const states = await this.statesOf<ConnectionState>(SOURCE_STREAMS, destination, position);
    return states.filter(({ links }) => links.includes(destination)).map(({ id }) => id);
  }

  private async pipelinesOn(connection: ConnectionId, position: number): Promise<PipelineId[]> {
    const states = await this.statesOf<PipelineState>(PIPELINE_STREAMS, connection, position);
    return states.filter(({ deleted }) => !deleted).map(({ id }) => id);
  }

  private async statesOf<State>(streams: string, of: string, position: number): Promise<State[]> {
    const rows = await this.db.query<{ stream: string }[]>(streams, [of, position]);
    return this.statesAt(
      rows.map(({ stream }) => stream),
      position,
    );
  }
}
