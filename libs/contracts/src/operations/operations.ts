import type { Actor } from '../fact';
import type { OrganizationId, WorkspaceId } from '../ids';
import { TOPIC } from '../topics';
import type { AnsweringService, OperationKind } from './operation';
import { ALERT_OPERATIONS } from './alerts.operations';
import { APPLICATION_OPERATIONS } from './applications.operations';
import { CONNECTION_OPERATIONS } from './connections.operations';
import { DELIVERY_OPERATIONS } from './deliveries.operations';
import { HEALTH_OPERATIONS } from './health.operations';
import { DATABASE_OPERATIONS } from './databases.operations';
import { ERASURE_OPERATIONS } from './erasure.operations';
import { FILE_OPERATIONS } from './files.operations';
import { IDEMPOTENCY_OPERATIONS } from './idempotency.operations';
import { MCP_OPERATIONS } from './mcp.operations';
import { METRICS_OPERATIONS } from './metrics.operations';
import { ORGANIZATION_OPERATIONS, SUPPRESSION_OPERATIONS } from './organization.operations';
import { PIPELINE_OPERATIONS } from './pipelines.operations';
import { PROFILE_OPERATIONS } from './profiles.operations';
import { REDRIVE_OPERATIONS } from './redrives.operations';
import { REPLAY_OPERATIONS } from './replays.operations';
import { RESOLUTION_OPERATIONS } from './resolution.operations';
import { RUN_CONTROL_OPERATIONS } from './run-control.operations';
import { RUN_OPERATIONS } from './runs.operations';
import { TRACE_OPERATIONS } from './traces.operations';
import { REFUSED_OPERATIONS } from './refused-events.operations';
import { WAREHOUSE_READ_OPERATIONS } from './warehouse-reads.operations';
import { WAREHOUSE_OPERATIONS } from './warehouse.operations';
import { WORKSPACE_OPERATIONS } from './workspaces.operations';

/**
 * Every operation, by the pattern of its messages. The gateway's routes, its document, time limits and typed calls, and the
 * handlers of the services are made of these or checked against them.
 */
export const OPERATIONS = {
  ...CONNECTION_OPERATIONS,
  ...APPLICATION_OPERATIONS,
  ...DATABASE_OPERATIONS,
  ...FILE_OPERATIONS,
  ...PIPELINE_OPERATIONS,
  ...WAREHOUSE_OPERATIONS,
  ...WAREHOUSE_READ_OPERATIONS,
  ...MCP_OPERATIONS,
  ...PROFILE_OPERATIONS,
  ...WORKSPACE_OPERATIONS,
  ...ORGANIZATION_OPERATIONS,
  ...SUPPRESSION_OPERATIONS,
  ...IDEMPOTENCY_OPERATIONS,
  ...DELIVERY_OPERATIONS,
  ...HEALTH_OPERATIONS,
  ...RUN_CONTROL_OPERATIONS,
  ...RESOLUTION_OPERATIONS,
  ...ERASURE_OPERATIONS,
  ...TRACE_OPERATIONS,
  ...REDRIVE_OPERATIONS,
  ...REPLAY_OPERATIONS,
  ...METRICS_OPERATIONS,
  ...RUN_OPERATIONS,
  ...REFUSED_OPERATIONS,
  ...ALERT_OPERATIONS,
};

type Declared = typeof OPERATIONS;

/** Message pattern of an operation; a read has no messages. */
export type OperationName = keyof Declared;

type TypesOf<Name extends OperationName> = NonNullable<Declared[Name]['types']>;

type NamesOf<Kind extends OperationKind> = {
  [Name in OperationName]: Declared[Name]['kind'] extends Kind ? Name : never;
}[OperationName];

/** Name → what goes in and what comes out of each command. Every `in` is sent with a {@link RequestContext}. */
export type Commands = { [Name in NamesOf<'command'>]: TypesOf<Name> };

/** Name → what goes in and what comes out of each query. A query changes nothing. */
export type Queries = { [Name in NamesOf<'query'>]: TypesOf<Name> };

/** Name → what goes in and what comes out of what every gateway answers by itself. */
export type Reads = { [Name in NamesOf<'read'>]: TypesOf<Name> };

/** What goes into an operation. */
export type InputOf<Name extends OperationName> = TypesOf<Name>['in'];

/** What an operation is answered with: of a command, with the position that the configuration has come to. */
export type AnswerOf<Name extends OperationName> = Name extends keyof Commands
  ? Recorded<TypesOf<Name>['out']>
  : TypesOf<Name>['out'];

/** Whether an operation with this input may take {@link slowLimitMs}, and holds up no other. */
export const isSlow = (name: OperationName, input: object): boolean =>
  (OPERATIONS[name].isSlow as (given: object) => boolean)(input);

/** Milliseconds that an operation may take where it is slow. */
export const slowLimitMs = (name: OperationName): number => OPERATIONS[name].limitMs;

const QUERIES_TO: Readonly<Record<AnsweringService, string>> = {
  'pipeline-service': TOPIC.queries,
  'event-router': TOPIC.routerQueries,
  'run-executor': TOPIC.executorQueries,
};

/** The topic that requests for an operation are sent on; a read is not sent. */
export const requestTopicOf = (name: OperationName): string => {
  const { kind, answeredBy } = OPERATIONS[name];
  return kind === 'query' ? QUERIES_TO[answeredBy] : TOPIC.commands;
};

/** Caller, workspace and request id: sent with every command and query. */
export interface RequestContext {
  /** A repeated command of the same id is answered with the stored reply. */
  readonly commandId: string;
  readonly actor: Actor;
  readonly requestId: string;
  readonly organization: OrganizationId;
  /** Empty where the request is about the organization as a whole and names none. */
  readonly workspace: WorkspaceId;
  /** The version that the caller has seen (`If-Match`); absent: any. */
  readonly expectedVersion?: number;
  /** Whether the command is only tried: nothing of it is recorded. Absent: no. */
  readonly isDryRun?: boolean;
}

/** A command's answer carries the position that the configuration has reached with it. */
export interface Recorded<Out> {
  /** Position of the last fact that the command led to, or of the newest fact when it led to none. */
  readonly position: number;
  readonly out: Out;
}

/** A request on a topic of commands or queries. */
export interface Request<In> {
  readonly context: RequestContext;
  readonly in: In;
}
