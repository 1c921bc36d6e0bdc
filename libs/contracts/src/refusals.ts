import type { Issue } from '@penstock/schema';
import { boundedDetails } from './bounded-details';
import type { JsonString } from './pipeline.facts';

type Kind =
  | 'malformed'
  | 'unauthenticated'
  | 'forbidden'
  | 'absent'
  | 'conflict'
  | 'refused'
  | 'unavailable';

/**
 * Every refusal that a rule can give, with its text. Code and text are on the wire: changing one is a breaking
 * change. Where the text of one code differs by request, the refusal carries its own message.
 */
export const REFUSALS = {
  BadRequest: { kind: 'malformed', message: 'request is not valid' },
  Unauthorized: { kind: 'unauthenticated', message: 'Authorization header is missing or invalid' },
  Forbidden: { kind: 'forbidden', message: 'API key does not have the scope for this operation' },
  Conflict: { kind: 'conflict', message: 'resource was changed by another request' },
  WorkspaceNotExist: { kind: 'absent', message: 'workspace does not exist' },
  ConnectionNotExist: { kind: 'absent', message: 'connection does not exist' },
  PipelineNotExist: { kind: 'absent', message: 'pipeline does not exist' },
  KeyNotExist: { kind: 'absent', message: 'key does not exist' },
  EventNotExist: { kind: 'absent', message: 'event does not exist' },
  DeliveryNotExist: { kind: 'absent', message: 'delivery does not exist' },
  RedriveNotExist: { kind: 'absent', message: 'redrive does not exist' },
  ReplayNotExist: { kind: 'absent', message: 'replay does not exist' },
  AlertNotExist: { kind: 'absent', message: 'alert does not exist' },
  RunNotExist: { kind: 'absent', message: 'run does not exist' },
  ProfileNotExist: { kind: 'absent', message: 'profile does not exist' },
  ErasureNotExist: { kind: 'absent', message: 'erasure does not exist' },
  EventWriteKeyNotExist: { kind: 'absent', message: 'key does not exist' },
  EventTypeNotExist: { kind: 'absent', message: 'event type does not exist' },
  ConnectorNotExist: { kind: 'absent', message: 'connector does not exist' },
  OrganizationDisabled: { kind: 'refused', message: 'organization is disabled' },
  InvalidSettings: { kind: 'refused', message: 'settings are not valid' },
  LinkedConnectionNotExist: { kind: 'refused', message: 'linked connection does not exist' },
  SchemaNotAligned: {
    kind: 'refused',
    message: 'output schema is not aligned with the event type schema',
  },
  InvalidEvent: { kind: 'refused', message: 'event is invalid' },
  UnsupportedLanguage: { kind: 'refused', message: 'transformation language is not supported' },
  TransformationFailed: { kind: 'refused', message: 'transformation failed' },
  TargetExist: { kind: 'refused', message: 'connection already has a pipeline for this target' },
  PipelineNotRunnable: { kind: 'refused', message: 'pipeline cannot be run' },
  PipelineDisabled: { kind: 'refused', message: 'pipeline is disabled' },
  IncrementalNotPossible: {
    kind: 'refused',
    message: 'incremental requires an update time column',
  },
  PipelineAlreadyRunning: { kind: 'refused', message: 'pipeline is already running' },
  InspectionMode: { kind: 'refused', message: 'data warehouse is in inspection mode' },
  MaintenanceMode: { kind: 'refused', message: 'data warehouse is in maintenance mode' },
  PipelineVersionNotExist: { kind: 'refused', message: 'pipeline does not have the version' },
  EventsExpired: { kind: 'refused', message: 'events of that time are no longer kept' },
  ReplayAlreadyRunning: { kind: 'refused', message: 'pipeline already has a running replay' },
  TooManyRedrives: { kind: 'refused', message: 'pipeline already has 10 running redrives' },
  TooManyEventWriteKeys: { kind: 'refused', message: 'connection already has 20 keys' },
  SingleEventWriteKey: {
    kind: 'refused',
    message: "key cannot be deleted as it is the connection's only key",
  },
  ConnectorsLimitReached: { kind: 'refused', message: 'organization cannot use more connectors' },
  ConnectionsLimitReached: {
    kind: 'refused',
    message: 'organization cannot have more connections',
  },
  PipelinesLimitReached: { kind: 'refused', message: 'organization cannot have more pipelines' },
  DifferentWarehouse: {
    kind: 'refused',
    message: 'data warehouse is a different data warehouse',
  },
  InvalidWarehouseSettings: {
    kind: 'refused',
    message: 'data warehouse settings are not valid',
  },
  NotReadOnlyMCPSettings: {
    kind: 'refused',
    message: 'warehouse MCP settings are not read-only',
  },
  InvalidProfileSchema: {
    kind: 'refused',
    message: 'profile schema cannot be changed as requested',
  },
  PropertyNotExist: { kind: 'refused', message: 'property does not exist' },
  TypeNotAllowed: { kind: 'refused', message: 'type of the property is not allowed' },
  OperationAlreadyExecuting: {
    kind: 'refused',
    message: 'another operation on the data warehouse is being executed',
  },
  WorkspacesLimitReached: { kind: 'refused', message: 'organization cannot have more workspaces' },
  AlertsLimitReached: { kind: 'refused', message: 'workspace cannot have more alerts' },
  KeysLimitReached: { kind: 'refused', message: 'organization cannot have more keys' },
  FormatNotExist: { kind: 'refused', message: 'format does not exist' },
  InvalidPath: { kind: 'refused', message: 'path is not valid' },
  InvalidPlaceholder: { kind: 'refused', message: 'placeholder does not exist' },
  InvalidFile: { kind: 'refused', message: 'file cannot be read' },
  NoColumnsFound: { kind: 'refused', message: 'file has no columns' },
  SheetNotExist: { kind: 'refused', message: 'sheet does not exist' },
  InvalidQuery: { kind: 'refused', message: 'query is not valid' },
  TableNotExist: { kind: 'refused', message: 'table does not exist' },
  OrderNotExist: { kind: 'refused', message: 'order does not exist' },
  OrderTypeNotSortable: { kind: 'refused', message: 'type of the order cannot be sorted' },
  /** Something that the request needs is away. */
  ServiceUnavailable: { kind: 'unavailable', message: 'service is unavailable' },
} as const satisfies Record<string, { kind: Kind; message: string }>;

/** The code of a refusal, which clients may rely on. */
export type RefusalCode = keyof typeof REFUSALS;

/** What kind of answer a refusal is; the gateway alone turns it into an HTTP status. */
export type RefusalKind = Kind;

/** What is wrong with a member of the request. */
export interface RefusalDetail extends Issue {
  /** Of a source text, from 1; 0 when unknown. */
  readonly line?: number;
  readonly column?: number;
  /** Of a trial of a transformation: where it failed. */
  readonly step?: TrialStep;
  /** What came to that step: the text of a JSON object. */
  readonly values?: JsonString;
  /** Some of the values are left out, since they are too long. */
  readonly isCut?: true;
  /** What the function wrote to its console. */
  readonly console?: string;
}

/** Steps that a trial of a transformation can fail at. */
export const TRIAL_STEPS = ['Transformation', 'OutputValidation', 'Finalize'] as const;

/** One of {@link TRIAL_STEPS}. */
export type TrialStep = (typeof TRIAL_STEPS)[number];

/** How one refusal differs from the entry of its code in the table of refusals. */
export interface RefusalDetails {
  /** Instead of the table's text; begins with the text of the API document. */
  readonly message?: string;
  /** Instead of the table's kind: a missing connection is `absent` in a path, `refused` in a body. */
  readonly kind?: RefusalKind;
  readonly details?: readonly RefusalDetail[];
}

/**
 * A rule refused the request. Expected: never retried, never logged as an error.
 *
 * The details that it names are bounded, so that it fits into a message of the log; the message counts those left out.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly kind: RefusalKind;
  readonly details: readonly RefusalDetail[];

  constructor(
    readonly code: RefusalCode,
    { message, kind, details = [] }: RefusalDetails = {},
  ) {
    const named = boundedDetails(details);
    const text = message ?? REFUSALS[code].message;
    const more = details.length - named.length;
    super(more === 0 ? text : `${text}: at least ${String(more)} more problems are not named`);
    this.kind = kind ?? REFUSALS[code].kind;
    this.details = named;
  }
}
