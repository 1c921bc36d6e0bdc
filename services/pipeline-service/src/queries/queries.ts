import {
  type ConnectionId,
  type ConnectionState,
  type ConnectionView,
  isIdForm,
  type PipelineId,
  type PipelineState,
  type PipelineView,
  type Queries as Contract,
  Refusal,
  type Request,
} from '@penstock/contracts';
import { EntityManager, In } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { ConfigurationAt } from '../read-model/configuration-at';
import { connectionView } from '../read-model/connection-view';
import { before, fittingPage, pageOf } from '../read-model/paging';
import { pipelineView } from '../read-model/pipeline-view';
import { ConnectionRow, LinkRow, PipelineRow } from '../read-model/views';

type Query<Name extends keyof Contract> = Request<Contract[Name]['in']>;
type Answer<Name extends keyof Contract> = Promise<Contract[Name]['out']>;

const grouped = <T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
};

/** Answers from the views: what was recorded before the query is in the answer. */
@Injectable()
export class Queries {
  constructor(
    private readonly database: EntityManager,
    private readonly configurationAt: ConfigurationAt,
  ) {}

  async connection({ context, in: { id, at } }: Query<'GetConnection'>): Answer<'GetConnection'> {
    if (at !== undefined) return this.configurationAt.connection(id, context.workspace, at);
    const state = await this.connectionState(id, context.workspace);
    const [view] = await this.connectionViews([state]);
    if (view === undefined) throw new Refusal('ConnectionNotExist');
    return view;
  }

  async connections({
    context: { workspace },
    in: { limit, cursor: after },
  }: Query<'ListConnections'>): Answer<'ListConnections'> {
    const rows = await this.database.find(ConnectionRow, {
      where: { workspace, ...before(after) },
      order: { id: 'DESC' },
      take: limit + 1,
    });
    const found = pageOf(rows, limit);
    const views = await this.connectionViews(found.page.map(({ state }) => state));
    const { page, cursor } = fittingPage(views, found.cursor);
    return { connections: page, cursor };
  }

  async writeKeys({
    context,
    in: { connection },
  }: Query<'ListEventWriteKeys'>): Answer<'ListEventWriteKeys'> {
    const { writeKeys } = await this.connectionState(connection, context.workspace);
    if (writeKeys.length === 0) throw new Refusal('ConnectionNotExist');
    return { keys: writeKeys.map(({ sealed }) => sealed) };
  }

  async pipeline({ context, in: { id, at } }: Query<'GetPipeline'>): Answer<'GetPipeline'> {
    if (at !== undefined) return this.configurationAt.pipeline(id, context.workspace, at);
    const row = isIdForm(id)
      ? await this.database.findOneBy(PipelineRow, { id, workspace: context.workspace })
      : null;
    if (row === null) throw new Refusal('PipelineNotExist');
    const [view] = await this.pipelineViews([row.state]);
    if (view === undefined) throw new Refusal('PipelineNotExist');
    return view;
  }

  async pipelines({
    context: { workspace },
    in: { limit, cursor: after, connection, enabled },
  }: Query<'ListPipelines'>): Answer<'ListPipelines'> {
    if (connection !== undefined && !isIdForm(connection)) return { pipelines: [], cursor: '' };
    const rows = await this.database.find(PipelineRow, {
      where: {
        workspace,
        ...before(after),
        ...(connection !== undefined && { connection }),
        ...(enabled !== undefined && { enabled }),
      },
      order: { id: 'DESC' },
      take: limit + 1,
    });
    const found = pageOf(rows, limit);
    const views = await this.pipelineViews(found.page.map(({ state }) => state));
    const { page, cursor } = fittingPage(views, found.cursor);
    return { pipelines: page, cursor };
  }

  private async connectionState(id: string, workspace: string): Promise<ConnectionState> {
    const row = isIdForm(id)
      ? await this.database.findOneBy(ConnectionRow, { id, workspace })
      : null;
    if (row === null) throw new Refusal('ConnectionNotExist');
    return row.state;
  }

  private async connectionViews(states: readonly ConnectionState[]): Promise<ConnectionView[]> {
    const ids = states.map(({ id }) => id);
    const linked = grouped(
      await this.database.find(LinkRow, {
        where: { destination: In(ids) },
        order: { source: 'ASC' },
      }),
      ({ destination }) => destination,
    );
    const pipelines = grouped(
      await this.database.find(PipelineRow, {
        where: { connection: In(ids) },
        order: { id: 'ASC' },
      }),
      ({ connection }) => connection,
    );
    return states.map((state) =>
      connectionView(
        state,
        (linked.get(state.id) ?? []).map(({ source }) => source as ConnectionId),
        (pipelines.get(state.id) ?? []).map(({ id }) => id as PipelineId),
      ),
    );
  }

  private async pipelineViews(states: readonly PipelineState[]): Promise<PipelineView[]> {
    const rows = await this.database.findBy(ConnectionRow, {
      id: In(states.map(({ connection }) => connection)),
    });
    const connections = new Map(rows.map(({ id, state }) => [id, state]));
    return states.flatMap((state) => {
      const connection = connections.get(state.connection);
      return connection === undefined ? [] : [pipelineView(state, connection)];
    });
  }
}
