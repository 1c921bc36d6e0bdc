import type { NewAlert } from './alert.facts';
import type { EventWriteKey, NewConnection } from './connection.facts';
import type { NewHealth } from './health.facts';
import type { ConnectionId, Instant, OrganizationId, PipelineId, WorkspaceId } from './ids';
import type { NewApiKey } from './organization.facts';
import type {
  JsonString,
  NewEventPipeline,
  NewExportPipeline,
  NewImportPipeline,
  NewWarehousePipeline,
} from './pipeline.facts';
import type { ErasureState } from './erasure.facts';
import type { ResolutionSettings, ResolutionState } from './resolution.facts';
import type {
  Microtime,
  RequestedRun,
  RunCancel,
  RunEndStatus,
  Schedule,
  SlotSkipReason,
} from './run-control.facts';
import type { NewSuppression } from './suppression.facts';
import type {
  EndedProfileChange,
  NewWarehouse,
  RecordedProfiles,
  StartedProfileChange,
  WarehouseMode,
} from './warehouse.facts';
import type { NewWorkspace } from './workspace.facts';

/** The newest state of each configuration object, as services hold it in memory. */
export interface OrganizationState {
  readonly kind: 'organization';
  readonly id: OrganizationId;
  readonly name: string;
  readonly enabled: boolean;
  readonly apiKeys: readonly NewApiKey[];
}

/** A workspace after its newest fact. */
export interface WorkspaceState extends NewWorkspace {
  readonly kind: 'workspace';
  readonly version: number;
  readonly deleted: boolean;
}

/** A connection after its newest fact. */
export interface ConnectionState extends NewConnection {
  readonly kind: 'connection';
  readonly version: number;
  readonly deleted: boolean;
  /** Oldest first; empty on a connection that takes no events. */
  readonly writeKeys: readonly EventWriteKey[];
  /** Destinations linked to this source; empty on a destination. */
  readonly links: readonly ConnectionId[];
}

interface PipelineVersion {
  readonly kind: 'pipeline';
  readonly version: number;
  readonly deleted: boolean;
}

/** One version of a pipeline that sends events to an application. */
export type SendingPipelineState = NewEventPipeline & PipelineVersion;

/** One version of a pipeline that writes events, or the identities in them, into the warehouse. */
export type WarehousePipelineState = NewWarehousePipeline & PipelineVersion;

/** One version of a pipeline that events are routed to. */
export type EventPipelineState = SendingPipelineState | WarehousePipelineState;

/** One version of a pipeline that imports users into the warehouse. */
export type ImportPipelineState = NewImportPipeline & PipelineVersion;

/** One version of a pipeline that exports profiles from the warehouse. */
export type ExportPipelineState = NewExportPipeline & PipelineVersion;

/** One version of a pipeline that runs. */
export type RunPipelineState = ImportPipelineState | ExportPipelineState;

/** One version of a pipeline. Every version has a key of its own: a waiting delivery may still name it. */
export type PipelineState = EventPipelineState | RunPipelineState;

/** The latest change of the schema of profiles. */
export type ProfileChangeState =
  | (StartedProfileChange & { readonly endedAt: null })
  | (EndedProfileChange & Pick<StartedProfileChange, 'startedAt'>);
/** Whether the pipeline imports users, in runs. */
export const isImport = (state: PipelineState): state is ImportPipelineState =>
  state.imports !== undefined;

/** Whether the pipeline exports profiles, in runs. */
export const isExport = (state: PipelineState): state is ExportPipelineState =>
  state.exports !== undefined;

/** Whether the pipeline runs: no events are routed to it. */
export const isRun = (state: PipelineState): state is RunPipelineState =>
  isImport(state) || isExport(state);

/** Whether the pipeline writes events, or the identities in them, into the warehouse. */
export const isOfWarehouse = (state: PipelineState): state is WarehousePipelineState =>
  !isRun(state) && state.eventType === null;

/** Whether the pipeline sends events to an application. */
export const isSending = (state: PipelineState): state is SendingPipelineState =>
  !isRun(state) && state.eventType !== null;

/**
 * The schema of the pipeline that must be a part of the schema of profiles: what it gives of them, or what an export reads.
 * `null`: it has none.
 */
export const profilesSchemaOf = (
  state: Pick<PipelineState, 'target' | 'outSchema' | 'exports'>,
): JsonString | null =>
  state.target === 'User' ? (state.exports?.inSchema ?? state.outSchema) : null;

/** The warehouse of a workspace after its newest fact. */
export interface WarehouseState extends NewWarehouse {
  readonly kind: 'warehouse';
  readonly version: number;
  readonly mode: WarehouseMode;
  /** Absent until the schema of profiles is changed for the first time: `profilesOf` tells it. */
  readonly profiles?: RecordedProfiles;
  /** Absent: there was none. */
  readonly profileChange?: ProfileChangeState;
  /** Absent until they are set for the first time: `resolutionSettingsOf` tells them. */
  readonly resolution?: ResolutionSettings;
}

/** A user of a workspace; stays when it is no longer suppressed. */
export interface SuppressionState extends NewSuppression {
  readonly kind: 'suppression';
  readonly version: number;
  readonly suppressed: boolean;
}

/** The health of a connection or a pipeline, which has a stream of its own: it does not change the object's version. */
export interface HealthState extends Omit<NewHealth, 'recordedAt'> {
  readonly kind: 'health';
  readonly version: number;
  /** When the last changes were recorded, oldest first. */
  readonly changedAt: readonly Instant[];
}

/** A run that has not ended. */
export interface LiveRun extends RequestedRun {
  /** `null` unless its cancel was requested. */
  readonly cancelled: RunCancel | null;
  /** `false`: the cursor was cleared while it ran, so that its end does not move it. */
  readonly movesCursor?: false;
  /** Since when it waits for something that cannot be reached. Absent: it does not. */
  readonly waitingSince?: Instant;
}

/**
 * When and whether a pipeline runs. It has a stream of its own, so that a run does not change the version of the
 * pipeline, and is there from the first time that it was scheduled or run.
 */
export interface RunControlState {
  readonly kind: 'runs';
  /** Of the pipeline. */
  readonly id: PipelineId;
  readonly workspace: WorkspaceId;
  readonly version: number;
  readonly schedule: Schedule | null;
  /** When the schedule was set. */
  readonly scheduledAt: Instant | null;
  /** At most one at a time. */
  readonly live: LiveRun | null;
  /** Greatest update time of the records that the last successful runs received; `null`: the next run is a full one. */
  readonly cursor: Microtime | null;
  /** The newest slot that was decided, whatever the decision was. */
  readonly lastSlot: Instant | null;
  /** The newest slot without a run. */
  readonly lastSkipped: { readonly slot: Instant; readonly reason: SlotSkipReason } | null;
  /** How the newest run ended, or that the mode of the warehouse forbade it: the health of the pipeline. */
  readonly last: {
    readonly status: RunEndStatus | 'Skipped';
    readonly at: Instant;
    readonly message: string;
  } | null;
}

/** An alert after its newest fact. */
export interface AlertState extends NewAlert {
  readonly kind: 'alert';
  readonly version: number;
  readonly deleted: boolean;
}

/** The state of any object of the configuration; discriminated by its kind. */
export type ConfigurationState =
  | OrganizationState
  | WorkspaceState
  | ConnectionState
  | PipelineState
  | WarehouseState
  | SuppressionState
  | HealthState
  | RunControlState
  | ResolutionState
  | ErasureState
  | AlertState;

/** A message of the `configuration.state` topic. */
export interface StateRecord {
  /** Of the fact that led to this state: everything up to here has been published before. */
  readonly position: number;
  readonly state: ConfigurationState;
}

/** Whose the object is: its workspace, or itself where it is a workspace or an organization. */
export const ownerOf = (state: ConfigurationState): string =>
  'workspace' in state ? state.workspace : state.id;

/**
 * Newest versions of a pipeline that stay in the compacted topic, so that a router can start without asking for them.
 */
export const PUBLISHED_PIPELINE_VERSIONS = 4;

/** The key of a version of a pipeline in the compacted topic. */
export const pipelineKey = (id: PipelineId, version: number): string =>
  `pipeline:${id}@${String(version)}`;

/** The key under which the newest state is kept, of pipelines each of the newest versions. */
export const stateKey = (state: ConfigurationState): string =>
  state.kind === 'pipeline' ? pipelineKey(state.id, state.version) : `${state.kind}:${state.id}`;

/** The key that leaves the compacted topic when the state is published; undefined when there is none. */
export const supersededKey = (state: ConfigurationState): string | undefined =>
  state.kind === 'pipeline' && state.version > PUBLISHED_PIPELINE_VERSIONS
    ? pipelineKey(state.id, state.version - PUBLISHED_PIPELINE_VERSIONS)
    : undefined;

/**
 * The object, and of pipelines the version, that a key of the compacted topic stands for; the opposite of
 * {@link stateKey}.
 */
export const readStateKey = (
  key: string,
): { readonly kind: string; readonly id: string; readonly version: number | undefined } => {
  const [, kind = '', id = '', version] = /^([^:]*):(.*?)(?:@(\d+))?$/s.exec(key) ?? [];
  return { kind, id, version: version === undefined ? undefined : Number(version) };
};
