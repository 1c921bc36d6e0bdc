import type { AsOf } from '../audit';
import type { ConnectionRole, ConnectorType } from '../connection.facts';
import type { Actor, ConfigurationFact } from '../fact';
import type { PipelineStateAt } from '../history-source';
import type { ConnectionId, Instant, PipelineId } from '../ids';
import type {
  ExportSettings,
  ImportSettings,
  JsonString,
  Matching,
  MissingColumns,
  Transformation,
} from '../pipeline.facts';
import type { EventPipelineState } from '../state';
import type { SchedulePeriod } from '../schedule-period';
import type { HealthView } from './health.operations';
import { always, command, query, read } from './operation';
import type { Page, Search } from './page';

/** Members that pipelines of some kinds have beside those of all; absent: not given. */
export interface KindInput {
  readonly inSchema?: JsonString;
  readonly incremental?: boolean;
  readonly query?: string;
  readonly format?: string;
  readonly path?: string;
  readonly sheet?: string;
  readonly compression?: string;
  readonly formatSettings?: JsonString;
  readonly userIDColumn?: string;
  readonly updatedAtColumn?: string;
  readonly updatedAtFormat?: string;
  readonly missingColumns?: MissingColumns;
  readonly orderBy?: string;
  readonly tableName?: string;
  readonly tableKey?: string;
  readonly exportMode?: string;
  readonly matching?: Matching;
  readonly updateOnDuplicates?: boolean;
}

/** What a client may write; checked as a whole where the connection and its event types are known. */
export interface PipelineInput extends KindInput {
  readonly name: string;
  /** Absent: `false` on create, unchanged on update. */
  readonly enabled?: boolean;
  readonly filter: JsonString | null;
  readonly transformation: JsonString | null;
  readonly outSchema: JsonString | null;
}

/** Creates a pipeline on a connection, in version 1. */
export interface CreatePipeline extends PipelineInput {
  readonly id: PipelineId;
  readonly connection: string;
  readonly target: string;
  readonly eventType: string | null;
}

/** Types of the facts in the history of a pipeline. What its runs did is in theirs. */
export const PIPELINE_HISTORY = [
  'PipelineCreated',
  'PipelineUpdated',
  'PipelineStatusSet',
  'PipelineDeleted',
  'ScheduleSet',
  'SlotSkipped',
  'CursorCleared',
  'HealthChanged',
] as const satisfies readonly ConfigurationFact['type'][];

/** A fact in the history of a pipeline. */
export interface PipelineFactView {
  readonly type: (typeof PIPELINE_HISTORY)[number];
  readonly time: Instant;
  readonly actor: Actor;
  /** A JSON object. */
  readonly data: JsonString;
}

/** A pipeline as a query answers it, in its newest version or as of a time. */
export interface PipelineView {
  readonly id: PipelineId;
  readonly version: number;
  readonly name: string;
  readonly connector: string;
  readonly connectorType: ConnectorType;
  readonly connection: ConnectionId;
  readonly connectionRole: ConnectionRole;
  readonly target: 'Event' | 'User';
  readonly enabled: boolean;
  /** `null` unless it sends events. */
  readonly eventType: string | null;
  readonly filter: JsonString | null;
  readonly transformation: Transformation | null;
  readonly inSchema: JsonString;
  readonly outSchema: JsonString | null;
  /** Of a pipeline that imports users. */
  readonly imports?: ImportSettings;
  /** Of a pipeline that exports profiles. */
  readonly exports?: ExportSettings;
  /** The worst of its own and that of its connection. Absent: both have always been healthy. */
  readonly health?: HealthView;
  /** Of a pipeline that runs. */
  readonly runs?: RunsView;
}

/** When a pipeline runs, as it is answered with it. */
export interface RunsView {
  readonly schedulePeriod: SchedulePeriod | null;
  /** Minutes after midnight of its first slot of the day. */
  readonly scheduleStart: number | null;
  /** The next slot; `null` when it is unscheduled or disabled. */
  readonly nextRun: Instant | null;
  readonly running: boolean;
}

/** A function is compiled by running it, for up to its time limit. */
const hasFunction = ({ transformation }: PipelineInput): boolean =>
  transformation?.includes('"function":{') ?? false;

export const PIPELINE_OPERATIONS = {
  ListPipelines: read<
    Page & Search & { readonly connection?: string; readonly enabled?: boolean },
    { readonly pipelines: readonly PipelineView[]; readonly cursor: string }
  >(),
  CreatePipeline: command<CreatePipeline, { readonly id: PipelineId }>({
    refusals: [
      { code: 'ConnectionNotExist', kind: 'refused' },
      { code: 'ConnectorNotExist', kind: 'refused' },
      {
        code: 'EventTypeNotExist',
        kind: 'refused',
        message: 'connection does not have event type',
      },
      'FormatNotExist',
      'IncrementalNotPossible',
      'UnsupportedLanguage',
      'SchemaNotAligned',
      'TransformationFailed',
      'TargetExist',
      'PipelinesLimitReached',
      'ConnectorsLimitReached',
    ],
    isSlow: hasFunction,
  }),
  GetPipeline: read<{ readonly id: string }, PipelineView>({
    refusals: ['PipelineNotExist'],
    isVersioned: true,
  }),
  GetPipelineAsOf: query<{ readonly id: string } & AsOf, PipelineView>({
    refusals: ['PipelineNotExist'],
    isSlow: always,
  }),
  UpdatePipeline: command<PipelineInput & { readonly id: string }>({
    refusals: [
      'PipelineNotExist',
      { code: 'ConnectorNotExist', kind: 'refused' },
      'FormatNotExist',
      'IncrementalNotPossible',
      'UnsupportedLanguage',
      'SchemaNotAligned',
      'TransformationFailed',
      'ConnectorsLimitReached',
    ],
    isVersioned: true,
    isSlow: hasFunction,
  }),
  SetPipelineStatus: command<{ readonly id: string; readonly enabled: boolean }>({
    refusals: ['PipelineNotExist'],
    isVersioned: true,
  }),
  DeletePipeline: command<{ readonly id: string }>({
    refusals: ['PipelineNotExist'],
    isVersioned: true,
  }),
  /** `period`: `null` ends the schedule. */
  SetSchedulePeriod: command<{ readonly id: string; readonly period: SchedulePeriod | null }>({
    refusals: ['PipelineNotExist', 'PipelineNotRunnable'],
    isVersioned: true,
  }),
  /** In their order; also of a deleted one. */
  ListPipelineFacts: query<
    Page & { readonly id: string },
    { readonly facts: readonly PipelineFactView[]; readonly cursor: string }
  >({ refusals: ['PipelineNotExist'] }),
  /** `incremental`: `null` is the pipeline's own setting. */
  RunPipeline: command<
    { readonly id: string; readonly incremental: boolean | null },
    { readonly id: string }
  >({
    refusals: [
      'PipelineNotExist',
      'PipelineNotRunnable',
      'IncrementalNotPossible',
      'PipelineDisabled',
      'PipelineAlreadyRunning',
      'InspectionMode',
      'MaintenanceMode',
    ],
    isVersioned: true,
    hasDryRun: false,
  }),
  /**
   * Sent by services, about a pipeline of any workspace, whether it still exists or not. Answers as `ConnectionStates`
   * does for connections.
   */
  PipelineStates: query<
    { readonly pipeline: PipelineId; readonly from: number; readonly to: number },
    { readonly states: readonly PipelineStateAt[]; readonly next: number | null }
  >(),
  /** Sent by services. `state`: `null` when there never was such a version. */
  PipelineVersion: query<
    { readonly pipeline: PipelineId; readonly version: number },
    { readonly state: EventPipelineState | null }
  >(),
};
