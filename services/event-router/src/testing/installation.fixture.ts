import {
  type Acceptance,
  bodyDigest,
  type ConfigurationState,
  type ConnectionId,
  type ConnectionState,
  dataKeyKey,
  type HealthReport,
  type ReplayedRun,
  type HistorySource,
  type Integrations,
  orderKey,
  PARTITIONS,
  type PipelineId,
  type SendingPipelineState,
  stateKey,
  anonymousSuppressionId,
  suppressionId,
  type SuppressionId,
  TOPIC,
  topics,
  type WorkspaceId,
  writeAcceptedEvent,
} from '@penstock/contracts';
import { createConnectors, createGuardedHttp } from '@penstock/connectors';
import { PostgresMessageLog } from '@penstock/messaging';
import type { DeliverySettings } from '@penstock/platform';
import {
  createLogger,
  Health,
  newDataKey,
  Seals,
  SecretBox,
  type Tracing,
} from '@penstock/runtime';
import { printType } from '@penstock/schema';
import { type Beginning, freshDatabase } from '@penstock/test-servers';
import { createFunctionRunner, type FunctionRunner } from '@penstock/transformations';
import { createWarehouses } from '@penstock/warehouses';
import { Pool } from 'pg';
import { Registry } from 'prom-client';
import { createEventRouter, type RouterOptions, type RunningRouter } from '../index';
import type { RouterPolling } from '../lanes/router.options';
import { PostgresRouterStore } from '../store/postgres/postgres-router-store';
import { OPTIONS } from '../store/postgres/store-harness.fixture';
import { DESTINATION, pipelineState, WORKSPACE } from './pipelines.fixture';
import { addWitness } from './until.fixture';

export const SOURCE = 'source000000001' as ConnectionId;

const secrets = new SecretBox('a secret that only these specs know of');
const dataKey = newDataKey(secrets, WORKSPACE);
/** Of the workspace of the specs. */
export const seals = new Seals(secrets, () => dataKey);
const connectors = createConnectors({});
const warehouses = createWarehouses({ allow: ['127.0.0.0/8'] });

const DAY_MS = 86_400_000;

/** Intervals of routers that no spec has to wait for. */
export const OFTEN: RouterPolling = {
  jobsMs: 100,
  replaysMs: 100,
  reportsMs: 100,
  erasuresMs: 200,
  outcomesMs: 200,
  healthMs: 200,
  healthyMs: 500,
  alertsMs: 500,
  measuresMs: 500,
  notificationsMs: 200,
  conservationMs: 2_000,
};

const unknown = () => Promise.reject(new Error('nobody knows what was before'));
const NO_HISTORY: HistorySource = {
  connectionStates: unknown,
  pipelineStates: unknown,
  pipelineVersion: unknown,
};

const DELIVERY: DeliverySettings = {
  eventsRetentionMs: 30 * DAY_MS,
  maxAgeMs: DAY_MS,
  deadLettersMs: 14 * DAY_MS,
  routerMemoryBytes: 256 * 1024 * 1024,
  duplicateWindowMs: DAY_MS,
};

const connection = (
  id: ConnectionId,
  connector: string,
  settings: object,
  links: readonly ConnectionId[],
): ConnectionState => ({
  kind: 'connection',
  id,
  workspace: WORKSPACE,
  name: connector,
  connector,
  connectorType: links.length > 0 ? 'SDK' : 'Application',
  role: links.length > 0 ? 'Source' : 'Destination',
  sendingMode: links.length > 0 ? null : 'Server',
  settings: seals.seal(JSON.stringify(settings), WORKSPACE),
  version: 1,
  deleted: false,
  writeKeys: [],
  links,
});

export const sourceState = (
  id: ConnectionId = SOURCE,
  links: readonly ConnectionId[] = [DESTINATION],
): ConnectionState => connection(id, 'nodejs', { ip: 'keep' }, links);

export const destinationState = (
  url: string,
  settings: object = {},
  id: ConnectionId = DESTINATION,
): ConnectionState => connection(id, 'http', { url, ...settings }, []);

/** A destination connection of this connector. */
export const applicationState = (connector: string, settings: object): ConnectionState =>
  connection(DESTINATION, connector, settings, []);

/** A pipeline with the mapping and schema that the connector proposes for an event type. */
export const proposedPipelineState = (
  connector: string,
  eventType: string,
): SendingPipelineState => {
  const types = connectors.get(connector)?.eventDestination?.eventTypes(new Map());
  const schema = types?.find(({ id }) => id === eventType)?.schema;
  if (!schema)
    throw new Error(`connector ${connector} has no event type ${eventType} with a schema`);
  const properties = schema.properties.filter(({ prefilled }) => prefilled !== '');
  const mapping = Object.fromEntries(properties.map(({ name, prefilled }) => [name, prefilled]));
  const outProperties = properties.map((property) => ({ ...property, prefilled: '' }));
  return pipelineState({
    eventType,
    transformation: { mapping, function: null },
    outSchema: printType({ kind: 'object', properties: outProperties }),
  });
};

export interface TestEvent {
  readonly source?: ConnectionId;
  /** Its anonymous id. */
  readonly user: string;
  readonly userId?: string;
  readonly previousId?: string;
  readonly messageId: string;
  readonly event?: string;
  /** JSON text. */
  readonly properties?: string;
  readonly integrations?: Integrations;
  /** Of the request that has sent it, if that is sampled. */
  readonly traceparent?: string;
  readonly acceptedBy?: Acceptance;
}

const eventText = ({
  source = SOURCE,
  user,
  messageId,
  event = 'E',
  properties = '{}',
  userId,
  previousId,
}: TestEvent): [string, string, string] => {
  const time = new Date().toISOString();
  const ids = JSON.stringify({ previousId, userId }).slice(1, -1);
  return [
    `{"connectionId":"${source}","anonymousId":"${user}","event":"${event}","messageId":"${messageId}","properties":${properties},`,
    `"receivedAt":"${time}","sentAt":"${time}","originalTimestamp":"${time}","timestamp":"${time}",`,
    `"traits":{},"type":"track"${ids && ','}${ids}}`,
  ];
};

/** What routers find that have run before: an embedded log with empty topics, and their own tables. */
const BEFORE_FIRST_EVENT: Beginning = {
  name: 'event_router',
  make: async (url) => {
    const log = new PostgresMessageLog({ connection: { connectionString: url } });
    await log.ensureTopics(topics({ ...PARTITIONS.embedded, events: 2 }));
    await log.close();
    const pool = new Pool({ connectionString: url, max: 1 });
    await new PostgresRouterStore(pool, OPTIONS).prepare();
    await pool.end();
  },
  // Each log has an identity of its own.
  own: 'UPDATE penstock_log.identity SET id = gen_random_uuid()',
};

const keyedHash = (text: string): string => secrets.keyedHash(text);

/** A database with the embedded log, and routers over them. */
export class Installation {
  /** A runner whose functions never exceed their time, however busy the machine is. */
  readonly functions = createFunctionRunner({ timeLimitMs: 60_000, spares: 0 });
  private readonly runners = [this.functions];
  /** What routers have reported to the pipeline service. */
  readonly reports: HealthReport[] = [];
  /** What routers have told executors of replays, in order. */
  readonly told: ReplayedRun[] = [];
  /** Workspaces of which routers have told executors that identities were written there. */
  readonly noted: WorkspaceId[] = [];
  /** Called before a router is answered that tells of a replay; a rejection is its answer. */
  onTold: (replay: ReplayedRun) => Promise<void> = () => Promise.resolve();
  private readonly routers = new Set<RunningRouter>();
  /** What routers have logged, from warnings on. */
  readonly errors: string[] = [];
  private readonly removeWitness: () => void;
  private position = 0;

  private constructor(
    readonly log: PostgresMessageLog,
    readonly pool: Pool,
    private readonly drop: () => Promise<void>,
  ) {
    this.removeWitness = addWitness('installation', () => this.witnessed());
  }

  static async open(): Promise<Installation> {
    const { url, drop } = await freshDatabase(undefined, BEFORE_FIRST_EVENT);
    const log = new PostgresMessageLog({ connection: { connectionString: url } });
    await log.append(TOPIC.configurationState, [
      { key: dataKeyKey(WORKSPACE), value: JSON.stringify({ dataKey }) },
    ]);
    const pool = new Pool({ connectionString: url, max: 8 });
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
    return new Installation(log, pool, drop);
  }

  async configure(...states: readonly ConfigurationState[]): Promise<void> {
    await this.log.append(
      TOPIC.configurationState,
      states.map((state) => {
        this.position += 1;
        return { key: stateKey(state), value: JSON.stringify({ position: this.position, state }) };
      }),
    );
  }

  suppress(userId: string, suppressed = true): Promise<void> {
    return this.setSuppressed(suppressionId(keyedHash, WORKSPACE, userId), suppressed);
  }

  /** As an erasure does. */
  suppressVisitor(source: string, anonymousId: string): Promise<void> {
    return this.setSuppressed(
      anonymousSuppressionId(keyedHash, WORKSPACE, source, anonymousId),
      true,
    );
  }

  private async setSuppressed(id: SuppressionId, suppressed: boolean): Promise<void> {
    const version = this.position;
    await this.configure({ kind: 'suppression', id, workspace: WORKSPACE, version, suppressed });
  }

  async start(
    options: Partial<RouterOptions> = {},
    functions: FunctionRunner = this.functions,
    { tracing, registry = new Registry() }: { tracing?: Tracing; registry?: Registry } = {},
  ): Promise<RunningRouter> {
    const http = createGuardedHttp({ allow: ['127.0.0.0/8'] });
    const logger = createLogger(
      { service: 'spec', LOG_LEVEL: 'warn', LOG_FORMAT: 'json' },
      { write: (line) => this.errors.push(line) },
    );
    const router = await createEventRouter({
      log: this.log,
      pool: this.pool,
      http,
      connectors,
      warehouses,
      secrets,
      functions,
      logger,
      registry,
      health: new Health(),
      delivery: DELIVERY,
      history: NO_HISTORY,
      reportHealth: (report) => {
        this.reports.push(report);
        return Promise.resolve();
      },
      recordReplay: async (replay) => {
        await this.onTold(replay);
        this.told.push(replay);
      },
      noteIdentities: (workspaces) => {
        this.noted.push(...workspaces);
        return Promise.resolve();
      },
      options: { backoffBaseMs: 50, polling: OFTEN, ...options },
      tracing,
    });
    const running = {
      close: async () => {
        this.routers.delete(running);
        await router.close();
        await http.close();
      },
    };
    this.routers.add(running);
    return running;
  }

  /** A runner with a short time limit, for functions that never end. */
  runnerOf(timeLimitMs: number): FunctionRunner {
    const runner = createFunctionRunner({ timeLimitMs, spares: 0 });
    this.runners.push(runner);
    return runner;
  }

  async accept(...events: readonly TestEvent[]): Promise<void> {
    await this.log.append(
      TOPIC.events,
      events.map((event) => {
        const [before, times, after] = eventText(event);
        const { source = SOURCE, traceparent, acceptedBy } = event;
        return {
          key: orderKey(source, event.user),
          value: writeAcceptedEvent({
            workspace: WORKSPACE,
            source,
            messageId: event.messageId,
            seen: this.position,
            integrations: event.integrations ?? null,
            digest: bodyDigest(before, after),
            eventText: before + times + after,
            ...(traceparent !== undefined && { traceparent }),
            ...(acceptedBy !== undefined && { acceptedBy }),
          }),
        };
      }),
    );
  }

  /** Lets retention remove all events. */
  async forget(): Promise<void> {
    await this.log.maintain({ nowMs: Date.now() + 2 * DELIVERY.eventsRetentionMs });
  }

  async pausedLanes(): Promise<string[]> {
    const { rows } = await this.pool.query<{ lane: string }>(
      `SELECT lane FROM penstock_router.lanes WHERE reason <> ''`,
    );
    return rows.map(({ lane }) => lane);
  }

  /** Number of ended events by `State Code`. */
  async counts(): Promise<Record<string, number>> {
    const { rows } = await this.pool.query<{ name: string; count: number }>(
      `SELECT concat_ws(' ', state, nullif(code, '')) AS name, sum(count)::int AS count
         FROM penstock_router.pipeline_counts WHERE count <> 0 AND state <> 'Open' GROUP BY 1`,
    );
    return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
  }

  /** As {@link counts}, of one pipeline, with open deliveries. */
  async countsOf(pipeline: PipelineId): Promise<Record<string, number>> {
    const { rows } = await this.pool.query<{ name: string; count: number }>(
      `SELECT concat_ws(' ', state, nullif(code, '')) AS name, count::int AS count
         FROM penstock_router.pipeline_counts WHERE pipeline = $1 AND count <> 0`,
      [pipeline],
    );
    return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
  }

  /** Values of the unreadable records. */
  async unreadable(): Promise<string[]> {
    const { rows } = await this.pool.query<{ value: string }>(
      'SELECT value FROM penstock_router.unreadable',
    );
    return rows.map(({ value }) => value);
  }

  /** Number of open deliveries. */
  async open(): Promise<number> {
    const { rows } = await this.pool.query<{ count: number }>(
      `SELECT coalesce(sum(count), 0)::int AS count FROM penstock_router.pipeline_counts WHERE state = 'Open'`,
    );
    return rows[0]?.count ?? 0;
  }

  async storedDeliveries(): Promise<{ state: string; code: string; reason: string }[]> {
    const { rows } = await this.pool.query<{ state: string; code: string; reason: string }>(
      'SELECT state, code, reason FROM penstock_router.deliveries ORDER BY partition, "offset"',
    );
    return rows;
  }

  async storedBodies(): Promise<number> {
    const { rows } = await this.pool.query('SELECT FROM penstock_router.bodies');
    return rows.length;
  }

  /** Terminates all other sessions of the database. */
  async endSessions(): Promise<void> {
    await this.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
  }

  private async witnessed(): Promise<unknown> {
    const { rows: jobs } = await this.pool.query('SELECT * FROM penstock_router.jobs');
    return {
      counts: await this.counts(),
      open: await this.open(),
      stored: (await this.storedDeliveries()).slice(0, 20),
      paused: await this.pausedLanes(),
      jobs: jobs.slice(0, 20),
      told: this.told.slice(-3),
      reports: this.reports.slice(-10),
      errors: this.errors.slice(-10),
    };
  }

  async close(): Promise<void> {
    this.removeWitness();
    for (const router of this.routers) await router.close();
    await Promise.all(this.runners.map((runner) => runner.close()));
    await this.log.close();
    await this.pool.end();
    await this.drop();
  }
}
