import {
  type ConnectionId,
  type ConnectionState,
  type ConnectionView,
  EVENT_SCHEMA,
  isIdForm,
  type PipelineId,
  type PipelineState,
  type PipelineView,
  type Queries as Contract,
  Refusal,
  type Request,
} from '@penstock/contracts';
import { printType } from '@penstock/schema';
import { type EntityManager, type FindOperator, In, LessThan } from 'typeorm';
import { ConnectionRow, LinkRow, PipelineRow } from './views';

const EVENT_SCHEMA_TEXT = printType(EVENT_SCHEMA);

type Query<Name extends keyof Contract> = Request<Contract[Name]['in']>;
type Answer<Name extends keyof Contract> = Promise<Contract[Name]['out']>;

const grouped = <T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
};

/**
 * Lists are newest first; ids sort by time.
 *
 * @throws Refusal BadRequest for a cursor that no list has answered.
 */
const before = (cursor: string): { id?: FindOperator<string> } => {
  if (cursor === '') return {};
  if (isIdForm(cursor)) return { id: LessThan(cursor) };
  const details = [{ path: '/cursor', message: 'must be a cursor that a list has answered' }];
  throw new Refusal('BadRequest', { details });
};

/** Answers from the views: what was recorded before the question is in the answer. */
export class Queries {
  constructor(private readonly database: EntityManager) {}

  async connection({ context, in: { id } }: Query<'GetConnection'>): Answer<'GetConnection'> {
    const state = await this.connectionState(id, context.workspace);
    const [view] = await this.connectionViews([state]);
    if (view === undefined) throw new Refusal('ConnectionNotExist');
    return view;
  }

  async connections({
    context: { workspace },
    in: { limit, cursor },
  }: Query<'ListConnections'>): Answer<'ListConnections'> {
    const rows = await this.database.find(ConnectionRow, {
      where: { workspace, ...before(cursor) },
      order: { id: 'DESC' },
      take: limit + 1,
    });
    const page = rows.slice(0, limit);
    return {
      connections: await this.connectionViews(page.map(({ state }) => state)),
      cursor: rows.length > limit ? (page.at(-1)?.id ?? '') : '',
    };
  }

  async writeKeys({
    context,
    in: { connection },
  }: Query<'ListEventWriteKeys'>): Answer<'ListEventWriteKeys'> {
    const { writeKeys } = await this.connectionState(connection, context.workspace);
    if (writeKeys.length === 0) throw new Refusal('ConnectionNotExist');
    return { keys: writeKeys.map(({ sealed }) => sealed) };
  }

  async pipeline({ context, in: { id } }: Query<'GetPipeline'>): Answer<'GetPipeline'> {
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
    in: { limit, cursor, connection, enabled },
  }: Query<'ListPipelines'>): Answer<'ListPipelines'> {
    if (connection !== undefined && !isIdForm(connection)) return { pipelines: [], cursor: '' };
    const rows = await this.database.find(PipelineRow, {
      where: {
        workspace,
        ...before(cursor),
        ...(connection !== undefined && { connection }),
        ...(enabled !== undefined && { enabled }),
      },
      order: { id: 'DESC' },
      take: limit + 1,
    });
    const page = rows.slice(0, limit);
    return {
      pipelines: await this.pipelineViews(page.map(({ state }) => state)),
      cursor: rows.length > limit ? (page.at(-1)?.id ?? '') : '',
    };
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
    return states.map((state) => ({
      id: state.id,
      version: state.version,
      name: state.name,
      connector: state.connector,
      connectorType: state.connectorType,
      role: state.role,
      sendingMode: state.sendingMode,
      linkedConnections:
        state.role === 'Source'
          ? state.links
          : (linked.get(state.id) ?? []).map(({ source }) => source as ConnectionId),
      pipelines: (pipelines.get(state.id) ?? []).map(({ id }) => id as PipelineId),
      settings: state.settings,
    }));
  }

  private async pipelineViews(states: readonly PipelineState[]): Promise<PipelineView[]> {
    const rows = await this.database.findBy(ConnectionRow, {
      id: In(states.map(({ connection }) => connection)),
    });
    const connections = new Map(rows.map(({ id, state }) => [id, state]));
    return states.flatMap((state) => {
      const connection = connections.get(state.connection);
      if (connection === undefined) return [];
      return [
        {
          id: state.id,
          version: state.version,
          name: state.name,
          connector: connection.connector,
          connectorType: connection.connectorType,
          connection: state.connection,
          connectionRole: connection.role,
          target: state.target,
          enabled: state.enabled,
          eventType: state.eventType,
          filter: state.filter,
          transformation: state.transformation,
          inSchema: EVENT_SCHEMA_TEXT,
          outSchema: state.outSchema,
        },
      ];
    });
  }
}
