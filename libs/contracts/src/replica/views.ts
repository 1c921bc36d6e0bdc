import { printType } from '@penstock/schema';
import { EVENT_SCHEMA } from '../event-schema';
import { HEALTH_STATUSES } from '../health.facts';
import type { ConnectionId, PipelineId } from '../ids';
import type { AlertView } from '../operations/alerts.operations';
import type { ConnectionView } from '../operations/connections.operations';
import type { HealthView } from '../operations/health.operations';
import type { ApiKeyView } from '../operations/organization.operations';
import type { PipelineView } from '../operations/pipelines.operations';
import { nextSlot } from '../slots';
import { profilesOf } from '../profile-schema';
import { resolutionSettingsOf } from '../resolution-settings';
import { healthOfProfiles } from './health-of-profiles';
import { healthOfRuns } from './health-of-runs';
import type { LatestProfileChange, ProfileSchemaView } from '../operations/profiles.operations';
import type { ResolutionSettingsView } from '../operations/resolution.operations';
import type { WarehouseView } from '../operations/warehouse.operations';
import type { WorkspaceView } from '../operations/workspaces.operations';
import type { NewApiKey } from '../organization.facts';
import {
  type AlertState,
  type ConnectionState,
  type HealthState,
  isRun,
  type PipelineState,
  type RunControlState,
  type WarehouseState,
  type WorkspaceState,
} from '../state';

const EVENT_SCHEMA_TEXT = printType(EVENT_SCHEMA);

/** What is answered of a workspace. */
export const workspaceView = ({ id, version, name }: WorkspaceState): WorkspaceView => ({
  id,
  version,
  name,
});

/** What is answered of a warehouse. */
export const warehouseView = ({
  version,
  platform,
  settings,
  mcpSettings,
  mode,
}: WarehouseState): WarehouseView => ({ version, platform, settings, mcpSettings, mode });

/** What is answered of the schema of profiles. */
export const profileSchemaView = (state: WarehouseState): ProfileSchemaView => ({
  version: state.version,
  schema: printType(profilesOf(state).schema),
});

/** What is answered of the latest change of the schema of profiles. */
export const latestProfileChange = ({ profileChange }: WarehouseState): LatestProfileChange => ({
  startTime: profileChange?.startedAt ?? null,
  endTime: profileChange?.endedAt ?? null,
  error: profileChange?.endedAt == null ? null : profileChange.error,
});

/** What is answered of how identities are resolved. */
export const resolutionSettingsView = (state: WarehouseState): ResolutionSettingsView => ({
  version: state.version,
  ...resolutionSettingsOf(state),
});

/** What is answered of an API key. */
export const apiKeyView = ({
  id,
  name,
  scope,
  workspace,
  hint,
  expiresAt,
}: NewApiKey): ApiKeyView => ({ id, name, scope, workspace, hint, expiresAt });

/** What is answered of an alert. */
export const alertView = ({
  kind: _kind,
  workspace: _workspace,
  deleted: _deleted,
  ...view
}: AlertState): AlertView => view;

const healthView = ({ status, code, since }: HealthState): HealthView => ({ status, code, since });

/** The more special one first: of those that are equally bad, it is answered. */
const ownHealths = (
  state: PipelineState,
  control: RunControlState | undefined,
  warehouse: WarehouseState | undefined,
): readonly HealthView[] => {
  const misfit = healthOfProfiles(state, warehouse);
  return [
    ...(misfit === undefined ? [] : [misfit]),
    ...(isRun(state) ? [healthOfRuns(control)] : []),
  ];
};

const badness = ({ status }: HealthView): number => HEALTH_STATUSES.indexOf(status);

const worstOf = (healths: readonly HealthView[]): { health?: HealthView } => {
  const [worst] = [...healths].sort((one, other) => badness(other) - badness(one));
  return worst === undefined ? {} : { health: worst };
};

/** What of its runs is answered of a pipeline that runs. */
const runsView = (
  state: PipelineState,
  control: RunControlState | undefined,
): Pick<PipelineView, 'runs'> => {
  if (!isRun(state)) return {};
  const { enabled } = state;
  return {
    runs: {
      schedulePeriod: control?.schedule?.period ?? null,
      scheduleStart: control?.schedule?.start ?? null,
      nextRun: enabled && control !== undefined ? nextSlot(control) : null,
      running: control?.live != null,
    },
  };
};

/**
 * What is answered of a connection.
 *
 * @param sources connections that are linked to it.
 * @param health undefined: it has always been healthy.
 */
export const connectionView = (
  state: ConnectionState,
  sources: readonly ConnectionId[],
  pipelines: readonly PipelineId[],
  health?: HealthState,
): ConnectionView => ({
  id: state.id,
  version: state.version,
  name: state.name,
  connector: state.connector,
  connectorType: state.connectorType,
  role: state.role,
  sendingMode: state.sendingMode,
  linkedConnections: state.role === 'Source' ? state.links : sources,
  pipelines,
  settings: state.settings,
  ...(state.delivery !== undefined && { delivery: state.delivery }),
  ...(health !== undefined && { health: healthView(health) }),
});

/**
 * What is answered of a pipeline on the connection.
 *
 * @param healths its own and that of its connection, as far as they were recorded; the worst is answered.
 * @param control of a pipeline that runs; undefined: it was neither scheduled nor run.
 * @param warehouse of its workspace.
 */
export const pipelineView = (
  state: PipelineState,
  connection: ConnectionState,
  healths: readonly (HealthState | undefined)[] = [],
  control?: RunControlState,
  warehouse?: WarehouseState,
): PipelineView => ({
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
  inSchema: (state.imports ?? state.exports)?.inSchema ?? EVENT_SCHEMA_TEXT,
  outSchema: state.outSchema,
  ...(state.imports !== undefined && { imports: state.imports }),
  ...(state.exports !== undefined && { exports: state.exports }),
  ...worstOf([
    ...ownHealths(state, control, warehouse),
    ...healths.filter((health) => health !== undefined).map(healthView),
  ]),
  ...runsView(state, control),
});
