export { ADVISORY_LOCK } from './advisory-locks';
export {
  MAX_TOPIC_PREFIX,
  TOPIC,
  PARTITIONS,
  topics,
  type PartitionCounts,
  type Topic,
} from './topics';
export {
  REFUSALS,
  Refusal,
  type RefusalCode,
  type RefusalDetail,
  type RefusalDetails,
  type RefusalKind,
  TRIAL_STEPS,
  type TrialStep,
} from './refusals';
export {
  instant,
  isIdForm,
  unreachable,
  type AlertId,
  type ApiKeyId,
  type ConnectionId,
  type ErasureId,
  type Instant,
  type JobId,
  type NotificationId,
  type OrganizationId,
  type PipelineId,
  type ResolutionId,
  type RunId,
  type SuppressionId,
  type WorkspaceId,
} from './ids';
export type { Actor, ConfigurationFact, RecordedFact } from './fact';
export { readDataKey, readFact, readState } from './read-records';
export { readRunFact } from './runs/read-run-fact';
export type { NewApiKey, OrganizationFact, Scope } from './organization.facts';
export * from './profiles';
export * from './erasure.facts';
export type { NewWorkspace, WorkspaceFact } from './workspace.facts';
export {
  WAREHOUSE_MODES,
  type NewWarehouse,
  type EndedProfileChange,
  type PrimarySources,
  type RecordedProfiles,
  type RePathsRecord,
  type StartedProfileChange,
  type WarehouseAccess,
  type WarehouseFact,
  type WarehouseMode,
} from './warehouse.facts';
export type {
  ChangedMode,
  ModeChange,
  UpdateWarehouse,
  WarehouseView,
} from './operations/warehouse.operations';
export type {
  IdentityView,
  LinkedIdentityView,
  LinkView,
  PastView,
  ProfileView,
  WantedProperties,
} from './operations/warehouse-reads.operations';
export type {
  ChangeProfileSchema,
  LatestProfileChange,
  ProfileSchemaView,
} from './operations/profiles.operations';
export {
  DELIVERY_BOUNDS,
  type ConnectionChange,
  type ConnectionDelivery,
  type ConnectionFact,
  type ConnectionRole,
  type ConnectorType,
  type EventWriteKey,
  type NewConnection,
  type Sealed,
} from './connection.facts';
export { EXPORT_MODES, MISSING_COLUMNS } from './pipeline.facts';
export type * from './pipeline.facts';
export type {
  CancelReason,
  Microtime,
  RequestedRun,
  RunCancel,
  RunControlFact,
  RunEndStatus,
  RunTrigger,
  Schedule,
  SlotSkipReason,
} from './run-control.facts';
export { REPLAY_MODES, type ReplayMode } from './runs/replay-mode';
export { MAX_ERROR_SAMPLES, MAX_RUN_ERRORS, OTHER_ERRORS } from './runs/run-errors';
export { RUN_STEPS, type RunStep, type StepCounts } from './runs/run-steps';
export type {
  RecordedRunFact,
  RunErrorGroup,
  RunFact,
  RunPosition,
  RunTotals,
} from './runs/run.facts';
export type { RunsView } from './operations/pipelines.operations';
export type * from './operations/resolution.operations';
export { NOTED_FOR_MS } from './operations/resolution.operations';
export type { ErasureView } from './operations/erasure.operations';
export type { RunEnd } from './operations/run-control.operations';
export { SCHEDULE_PERIODS, type SchedulePeriod } from './schedule-period';
export { minutesOf, nextSlot, slotUpTo } from './slots';
export {
  isExport,
  isImport,
  isOfWarehouse,
  isRun,
  isSending,
  ownerOf,
  pipelineKey,
  profilesSchemaOf,
  PUBLISHED_PIPELINE_VERSIONS,
  readStateKey,
  stateKey,
  supersededKey,
  type AlertState,
  type ConfigurationState,
  type ConnectionState,
  type EventPipelineState,
  type ExportPipelineState,
  type HealthState,
  type ImportPipelineState,
  type LiveRun,
  type OrganizationState,
  type PipelineState,
  type RunControlState,
  type RunPipelineState,
  type SendingPipelineState,
  type StateRecord,
  type SuppressionState,
  type ProfileChangeState,
  type WarehousePipelineState,
  type WarehouseState,
  type WorkspaceState,
} from './state';
export type {
  ConnectionStateAt,
  HistoricalConnectionState,
  HistorySource,
  PipelineStateAt,
} from './history-source';
export {
  HEALTH_CAUSES,
  HEALTH_STATUSES,
  type HealthCode,
  type HealthFact,
  type HealthStatus,
  type HealthSubject,
  type NewHealth,
} from './health.facts';
export {
  codeToRecord,
  countedChanges,
  HEALTH_CODE_HOLDS_MS,
  HEALTH_HOLDS_MS,
  MAX_HEALTH_CHANGES,
} from './health-rule';
export {
  ALERT_KINDS,
  ALERT_WINDOWS,
  type AlertChange,
  type AlertCondition,
  type AlertFact,
  type AlertKind,
  type AlertWindow,
  type NewAlert,
} from './alert.facts';
export {
  type AlertConditionGiven,
  alertProblems,
  MAX_ALERT_LAG_SECONDS,
  MAX_ALERTS,
} from './alert-rule';
export {
  ALERT_CHANGES,
  type AlertChangeKind,
  type AlertView,
  NOTIFICATION_STATES,
  type NotificationState,
  type NotificationView,
} from './operations/alerts.operations';
export type { HealthReport, HealthView } from './operations/health.operations';
export { dataKeyKey, workspaceOfDataKey, type DataKey, type DataKeyRecord } from './data-key';
export type { NewSuppression, SuppressionFact } from './suppression.facts';
export { anonymousSuppressionId, suppressionId, Suppressions } from './replica/suppressions';
export { ConfigurationReplica, type ReplicaOptions } from './replica/configuration-replica';
export { healthOfRuns } from './replica/health-of-runs';
export { RoutingReplica, type RoutingReplicaOptions } from './replica/routing-replica';
export { ConfigurationReads, type ReadContext } from './replica/configuration-reads';
export {
  alertView,
  connectionView,
  pipelineView,
  warehouseView,
  workspaceView,
} from './replica/views';
export { SLOW_OPERATION_MS } from './operations/operation';
export { existingMcpSettings, existingWarehouse } from './existing-warehouse';
export type { ConfigurationHistory } from './replica/configuration-history';
export type { HistoricalConnection, HistoricalConnectionRecord } from './historical-connection';
export type { Span } from './replica/span';
export {
  isSlow,
  OPERATIONS,
  requestTopicOf,
  slowLimitMs,
  type AnswerOf,
  type Commands,
  type InputOf,
  type OperationName,
  type Queries,
  type Reads,
  type Recorded,
  type Request,
  type RequestContext,
} from './operations/operations';
export type { AnsweringService, DeclaredRefusal, Nothing, Operation } from './operations/operation';
export type { Page, Search, Within } from './operations/page';
export {
  CHECKED_CONNECTORS,
  type ConnectionView,
  type CreateConnection,
  type UpdateConnection,
} from './operations/connections.operations';
export type { ListApplicationUsers, PreviewSendEvent } from './operations/applications.operations';
export type { QueryDatabase, QueryExcerpt, TableExcerpt } from './operations/databases.operations';
export type { FileExcerpt, FileWanted, ReadFile } from './operations/files.operations';
export {
  type CreatePipeline,
  type KindInput,
  PIPELINE_HISTORY,
  type PipelineFactView,
  type PipelineInput,
  type PipelineView,
} from './operations/pipelines.operations';
export type { CreateWorkspace, WorkspaceView } from './operations/workspaces.operations';
export type {
  ApiKeyView,
  OrganizationCounts,
  OrganizationView,
  SuppressedUsersView,
} from './operations/organization.operations';
export {
  END_STATES,
  STORED_STATES,
  type AccessView,
  type ConservationView,
  type DeliveriesWanted,
  type DeliveryCount,
  type DeliveryCounts,
  type DeliveryView,
  type StoredDeliveryView,
  type StoredState,
  type WatchedEvents,
} from './operations/deliveries.operations';
export {
  TRACED_FORMS,
  TRACED_STATES,
  type OtherEvent,
  type TracedAttempt,
  type TracedCondition,
  type TracedDuplicate,
  type TracedEvent,
  type TracedFilter,
  type TracedPipeline,
  type TracedState,
  type TracedTransformation,
  type TraceKept,
  type TraceView,
  type TraceWanted,
} from './operations/traces.operations';
export {
  REDRIVE_STATES,
  type RedriveState,
  REDRIVEN_STATES,
  type RedriveView,
  type RedriveWanted,
} from './operations/redrives.operations';
export {
  DIFFERENCE_KINDS,
  type DifferenceKind,
  type DifferenceView,
  type PipelineDraft,
  REPLAY_COUNTS,
  REPLAY_DELIVERY_COUNTS,
  REPLAY_STATES,
  type ReplayCounts,
  type ReplayDeliveryCounts,
  type ReplayedResult,
  type ReplayFailureView,
  type ReplayProgress,
  type ReplayState,
  type ReplayView,
  type ReplayWanted,
} from './operations/replays.operations';
export {
  RUN_STATUSES,
  type ReplayedRun,
  type RunErrorView,
  type SampleText,
  type RunFactView,
  type RunProgress,
  type RunStatus,
  type RunView,
  type RunWait,
} from './operations/runs.operations';
export {
  MAX_METRIC_POINTS,
  PIPELINE_STEPS,
  STEP_SIZES,
  type EndingCount,
  type LatencyView,
  type MetricsPeriod,
  type PipelineMetrics,
  type PipelineNumbers,
  type PipelinePoint,
  type PipelineStep,
  type SourceMetrics,
  type SourceNumbers,
  type SourcePoint,
  type StepSize,
} from './operations/metrics.operations';
export type { BeginRequest, Begun, EndRequest } from './operations/idempotency.operations';
export type { AsOf, AuditedFact, ChainHead, ChainHeads, FactsWanted } from './audit';
export { EVENT_SCHEMA, eventCodec } from './event-schema';
export {
  bodyDigest,
  orderKey,
  readAcceptedEvent,
  writeAcceptedEvent,
  type AcceptedEvent,
  type AcceptedEventHead,
} from './accepted-event';
export { type Acceptance, type Integrations, isNameOfDestination } from './integrations';
export { UnreadableEvent } from './unreadable-event';
export {
  NewOutcomes,
  outcomesKey,
  readOutcomes,
  writeOutcomes,
  type CommitPlace,
  type EndedDeliveries,
  type OutcomesRecord,
} from './outcomes';
export { idempotencyKey, replayIdempotencyKey } from './idempotency-key';
export {
  INTEREST_HOLDS_MS,
  readInterests,
  writeInterests,
  type AnnouncedInterests,
  type LiveInterest,
} from './live/live-interest';
export { readRunCommand, type RunCommand, writeRunCommand } from './runs/run-command';
export {
  liveSealContext,
  readLiveRecord,
  writeLiveRecord,
  type LiveDropped,
  type LiveEvent,
  type LiveOutcome,
  type LiveRecord,
  type LiveRouting,
} from './live/live-record';
export {
  MAX_EXCERPT_BYTES,
  readRefusedEvent,
  REFUSED_CODES,
  refusedSealContext,
  writeRefusedEvent,
  type RefusedCode,
  type RefusedEvent,
} from './refused/refused-event';
export type {
  RefusedCount,
  RefusedEventsWanted,
  RefusedEventView,
} from './operations/refused-events.operations';
