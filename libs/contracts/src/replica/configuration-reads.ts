import type { OrganizationId, WorkspaceId } from '../ids';
import { existingWarehouse } from '../existing-warehouse';
import type { AlertView } from '../operations/alerts.operations';
import type { ConnectionView } from '../operations/connections.operations';
import type { Reads } from '../operations/operations';
import type { PipelineView } from '../operations/pipelines.operations';
import { Refusal } from '../refusals';
import type { ConnectionState, PipelineState } from '../state';
import type { ConfigurationReplica } from './configuration-replica';
import { checkCursor, pageFrom } from './page-from';
import {
  alertView,
  apiKeyView,
  connectionView,
  latestProfileChange,
  pipelineView,
  profileSchemaView,
  resolutionSettingsView,
  warehouseView,
  workspaceView,
} from './views';

/** Where somebody reads. */
export interface ReadContext {
  readonly organization: OrganizationId;
  /** Empty where what is read is the organization's. */
  readonly workspace: WorkspaceId;
}

type Read<Name extends keyof Reads> = (
  input: Reads[Name]['in'],
  context: ReadContext,
) => Reads[Name]['out'];

/** Whether an object is one that is searched for. */
const isNamed = (search: string | undefined) => {
  const wanted = search?.toLowerCase() ?? '';
  return ({ name }: { readonly name: string }): boolean => name.toLowerCase().includes(wanted);
};

const textLength = (text: string | null): number => text?.length ?? 0;

const pipelineLength = (view: PipelineView): number => {
  const { filter, inSchema, outSchema, transformation, imports, exports } = view;
  const place = imports?.source ?? exports?.destination;
  const others = [
    JSON.stringify(transformation),
    place === undefined ? null : JSON.stringify(place),
  ];
  return [filter, inSchema, outSchema, ...others].reduce((sum, text) => sum + textLength(text), 0);
};

const ID_LENGTH = 30;

const connectionLength = ({ settings, linkedConnections, pipelines }: ConnectionView): number =>
  settings.length + ID_LENGTH * (linkedConnections.length + pipelines.length);

const webhookLength = ({ webhook }: AlertView): number => webhook.length;

/** Answers reads of the newest configuration from a replica, synchronously. */
export class ConfigurationReads {
  private readonly reads: { readonly [Name in keyof Reads]: Read<Name> } = {
    GetWorkspace: ({ id }, { organization }) => {
      const state = this.replica.workspace(id);
      if (state?.organization !== organization) throw new Refusal('WorkspaceNotExist');
      return workspaceView(state);
    },
    ListWorkspaces: ({ within, search, limit, cursor }, { organization }) => {
      const workspaces = this.replica.workspacesOf(organization).filter(isNamed(search));
      const seen = workspaces.filter(({ id }) => within === null || id === within);
      const { page, cursor: next } = pageFrom(newestFirst(seen, cursor), limit);
      return { workspaces: page.map(workspaceView), cursor: next };
    },
    ListApiKeys: ({ within, search, limit, cursor }, { organization }) => {
      const all = this.replica.organization(organization)?.apiKeys ?? [];
      const keys = all.filter(isNamed(search));
      const seen = keys.filter(({ workspace }) => within === null || workspace === within);
      const { page, cursor: next } = pageFrom(newestFirst(seen, cursor), limit);
      return { keys: page.map(apiKeyView), cursor: next };
    },
    GetWarehouse: (_, { workspace }) =>
      warehouseView(existingWarehouse(this.replica.warehouse(workspace))),
    GetProfileSchema: (_, { workspace }) =>
      profileSchemaView(existingWarehouse(this.replica.warehouse(workspace))),
    GetLatestProfileSchemaChange: (_, { workspace }) =>
      latestProfileChange(existingWarehouse(this.replica.warehouse(workspace))),
    GetResolutionSettings: (_, { workspace }) =>
      resolutionSettingsView(existingWarehouse(this.replica.warehouse(workspace))),
    CountSuppressedUsers: ({ id }, { workspace }) => {
      const users = this.replica.suppressedIn(workspace);
      const count = this.replica.suppressedUsersOf(workspace);
      return { count, ...(id !== undefined && { suppressed: users.has(id) }) };
    },
    GetConnection: ({ id }, { workspace }) => this.connectionView(this.connection(id, workspace)),
    ListConnections: ({ search, limit, cursor }, { workspace }) => {
      checkCursor(cursor);
      const { page, cursor: next } = pageFrom(
        this.connectionViews(workspace, cursor, search),
        limit,
        connectionLength,
      );
      return { connections: page, cursor: next };
    },
    ListEventWriteKeys: ({ connection }, { workspace }) => {
      const { version, writeKeys } = this.connection(connection, workspace);
      if (writeKeys.length === 0) throw new Refusal('ConnectionNotExist');
      return { version, keys: writeKeys.map(({ sealed }) => sealed) };
    },
    GetPipeline: ({ id }, { workspace }) => {
      const state = this.replica.pipeline(id);
      const view = state?.workspace === workspace ? this.pipelineView(state) : undefined;
      if (view === undefined) throw new Refusal('PipelineNotExist');
      return view;
    },
    ListPipelines: ({ limit, ...wanted }, { workspace }) => {
      checkCursor(wanted.cursor);
      const views = this.pipelineViews(workspace, wanted);
      const { page, cursor } = pageFrom(views, limit, pipelineLength);
      return { pipelines: page, cursor };
    },
    GetAlert: ({ id }, { workspace }) => {
      const state = this.replica.alerts.get(id);
      if (state?.workspace !== workspace || state.deleted) throw new Refusal('AlertNotExist');
      return alertView(state);
    },
    ListAlerts: ({ search, limit, cursor }, { workspace }) => {
      checkCursor(cursor);
      const alerts = [...this.replica.alerts.newestFirst(workspace, cursor)].filter(
        isNamed(search),
      );
      const { page, cursor: next } = pageFrom(alerts.map(alertView), limit, webhookLength);
      return { alerts: page, cursor: next };
    },
  };

  constructor(private readonly replica: ConfigurationReplica) {}

  /** @throws Refusal */
  read<Name extends keyof Reads>(
    name: Name,
    input: Reads[Name]['in'],
    context: ReadContext,
  ): Reads[Name]['out'] {
    return this.reads[name](input, context);
  }

  private connection(id: string, workspace: string): ConnectionState {
    const state = this.replica.connection(id);
    if (state?.workspace !== workspace) throw new Refusal('ConnectionNotExist');
    return state;
  }

  private connectionView(state: ConnectionState): ConnectionView {
    const sources = this.replica.sourcesOf(state.id);
    const pipelines = [...this.replica.pipelinesOn(state.id)];
    return connectionView(state, [...sources], pipelines, this.replica.healths.get(state.id));
  }

  private *connectionViews(
    workspace: string,
    cursor: string,
    search: string | undefined,
  ): Iterable<ConnectionView> {
    const isWanted = isNamed(search);
    for (const state of this.replica.connectionsBefore(workspace, cursor))
      if (isWanted(state)) yield this.connectionView(state);
  }

  private pipelineView(state: PipelineState): PipelineView | undefined {
    const connection = this.replica.connection(state.connection);
    const healths = [state.id, state.connection].map((id) => this.replica.healths.get(id));
    const control = this.replica.runControl(state.id);
    const warehouse = this.replica.warehouse(state.workspace);
    return connection && pipelineView(state, connection, healths, control, warehouse);
  }

  private *pipelineViews(
    workspace: string,
    { connection, enabled, search, cursor }: Omit<Reads['ListPipelines']['in'], 'limit'>,
  ): Iterable<PipelineView> {
    const hasName = isNamed(search);
    for (const head of this.replica.pipelinesBefore(workspace, connection, cursor)) {
      const isWanted = (enabled === undefined || head.enabled === enabled) && hasName(head);
      const state = isWanted ? this.replica.pipeline(head.id) : undefined;
      const view = state && this.pipelineView(state);
      if (view !== undefined) yield view;
    }
  }
}

/** Of a few in any order: those behind the cursor. @throws Refusal BadRequest */
const newestFirst = <T extends { readonly id: string }>(
  items: readonly T[],
  cursor: string,
): readonly T[] => {
  checkCursor(cursor);
  const behind = items.filter(({ id }) => cursor === '' || id < cursor);
  return behind.sort((one, other) => (one.id < other.id ? 1 : -1));
};
