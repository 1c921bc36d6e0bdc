import {
  type Connectors,
  createConnectors,
  createGuardedHttp,
  DummyStore,
  type GuardedHttp,
} from '@penstock/connectors';
import {
  type Commands,
  ConfigurationReads,
  ConfigurationReplica,
  type ConnectionId,
  type DataKey,
  instant,
  type Instant,
  isIdForm,
  type OperationName,
  OPERATIONS,
  type OrganizationCounts,
  type OrganizationId,
  PARTITIONS,
  type Queries,
  type Reads,
  Refusal,
  type RecordedFact,
  type RequestContext,
  TOPIC,
  topics,
  type WorkspaceId,
  workspaceOfDataKey,
} from '@penstock/contracts';
import {
  LogClient,
  LogRequest,
  type LogRequestOptions,
  type LogRecord,
  type MessageLog,
  PostgresMessageLog,
  RequestFailed,
} from '@penstock/messaging';
import {
  createLogger,
  newDataKey,
  newId,
  openOutcome,
  sealMessage,
  type SealedMessage,
  Seals,
  SecretBox,
} from '@penstock/runtime';
import { type Beginning, type FreshDatabase, freshDatabase } from '@penstock/test-servers';
import { createFunctionRunner, type FunctionRunner } from '@penstock/transformations';
import { createWarehouses, type Warehouses } from '@penstock/warehouses';
import { createGuardedSockets, type GuardedSockets } from '@penstock/egress';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'pg';
import { lastValueFrom } from 'rxjs';
import { createPipelineService, type RunningPipelineService } from '../create-pipeline-service';
import { openDatabase } from '../database/database';
import type { FirstWarehouse } from '../warehouse/first-warehouse';
import { eventually } from './eventually.fixture';

export const SECRETS = new SecretBox('0123456789abcdef0123456789abcdef');

/** Collects the log lines of the process. */
class Lines {
  readonly all: string[] = [];
  write(line: string): void {
    this.all.push(line);
  }
}

export interface InstallationOptions {
  /** Default: the log in the database. */
  readonly openLog?: (databaseUrl: string) => MessageLog;
}

type Context = Partial<RequestContext>;

const ensureTopics = (log: MessageLog): Promise<void> =>
  log.ensureTopics(topics({ ...PARTITIONS.embedded, events: 1 }));

/** What pipeline services find that have run before: nothing is configured. */
const BEFORE_FIRST_START: Beginning = {
  name: 'pipeline_service',
  make: async (url) => {
    const log = openPostgresLog(url);
    await ensureTopics(log);
    await log.close();
    await (await openDatabase(url, () => undefined, 1)).destroy();
  },
  // Each log has an identity of its own.
  own: 'UPDATE penstock_log.identity SET id = gen_random_uuid()',
};

/** A database, a log, any number of pipeline services on them, and a client. */
export class Installation {
  static async open({
    openLog = openPostgresLog,
  }: InstallationOptions = {}): Promise<Installation> {
    const database = await freshDatabase(undefined, BEFORE_FIRST_START);
    const log = openLog(database.url);
    await ensureTopics(log);
    return new Installation(database, log);
  }

  readonly lines = new Lines();
  /** The replica of another process. */
  readonly replica = new ConfigurationReplica();
  /** The workspace that the first start creates; a random id before. */
  workspace = newId() as WorkspaceId;
  readonly pool: Pool;
  readonly connectors: Connectors;
  readonly client: LogClient;
  private gateway: Promise<ConfigurationReplica> | undefined;
  private readonly http = createGuardedHttp({ allow: [] });
  /** With a short time limit for functions that never end. */
  readonly functions = createFunctionRunner({ timeLimitMs: 2_000, spares: 0 });
  private readonly services = new Set<RunningPipelineService>();

  private constructor(
    private readonly database: FreshDatabase,
    readonly log: MessageLog,
  ) {
    this.pool = new Pool({ connectionString: database.url, max: 2 });
    this.pool.on('error', () => undefined);
    this.connectors = createConnectors({ dummyStore: new DummyStore(this.pool) });
    this.client = new LogClient({ log });
  }

  get databaseUrl(): string {
    return this.database.url;
  }

  async start(
    options: {
      secrets?: SecretBox;
      bootstrapKey?: string;
      log?: MessageLog;
      connectors?: Connectors;
      functions?: FunctionRunner;
      firstWarehouse?: FirstWarehouse;
      limits?: Partial<OrganizationCounts>;
      delivery?: { eventsRetentionMs: number };
      spoolFolder?: string;
      http?: GuardedHttp;
      sockets?: GuardedSockets;
      warehouses?: Warehouses;
    } = {},
  ): Promise<RunningPipelineService> {
    const service = await createPipelineService({
      log: this.log,
      databaseUrl: this.databaseUrl,
      connectors: this.connectors,
      secrets: SECRETS,
      http: this.http,
      sockets: createGuardedSockets(['127.0.0.0/8']),
      functions: this.functions,
      warehouses: createWarehouses({ allow: ['127.0.0.0/8'] }),
      logger: createLogger({ service: 'test', LOG_LEVEL: 'info', LOG_FORMAT: 'json' }, this.lines),
      ...options,
    });
    this.services.add(service);
    this.workspace = (await this.founded()).workspace;
    return service;
  }

  async stop(service: RunningPipelineService): Promise<void> {
    this.services.delete(service);
    await service.close();
  }

  /** Follows `configuration.state` with the replica from now on. */
  async follow(replica = this.replica): Promise<ConfigurationReplica> {
    await this.log.follow({
      topic: TOPIC.configurationState,
      onBatch: (_, records) => {
        for (const record of records) replica.take(record);
        return Promise.resolve();
      },
    });
    return replica;
  }

  /** The present records of a topic, of each partition in order. */
  async records(topic: string): Promise<LogRecord[]> {
    const found: LogRecord[] = [];
    const reader = await this.log.follow({
      topic,
      onBatch: (_, records) => {
        found.push(...records);
        return Promise.resolve();
      },
    });
    await reader.caughtUp();
    await reader.stop();
    return found;
  }

  async positions(topic: string): Promise<number[]> {
    const records = await this.records(topic);
    return records.flatMap(({ key, value }) =>
      value === null || workspaceOfDataKey(key) !== undefined
        ? []
        : (JSON.parse(value) as RecordedFact).position,
    );
  }

  /** Position of the newest fact that is recorded. */
  async newest(): Promise<number> {
    const { rows } = await this.pool.query<{ position: string }>(
      'SELECT position FROM penstock.head',
    );
    return Number(rows[0]?.position ?? 0);
  }

  context(context: Context = {}): RequestContext {
    return {
      commandId: randomUUID(),
      actor: 'key-1',
      requestId: 'request-1',
      organization: 'organization' as OrganizationId,
      workspace: this.workspace,
      ...context,
    };
  }

  /** @returns a moment after the facts so far and before the next ones. */
  async moment(): Promise<Instant> {
    await pause(5);
    const moment = instant(new Date());
    await pause(5);
    return moment;
  }

  /** Resolves when objects can be had as of the moment: a second later, by the clock of the database. */
  async untilPast(moment: Instant): Promise<void> {
    await eventually(async () => {
      const { rows } = await this.pool.query<{ isPast: boolean }>(
        `SELECT $1::timestamptz <= clock_timestamp() - interval '1 second' AS "isPast"`,
        [moment],
      );
      return rows[0]?.isPast === true;
    });
  }

  /** Sends a command and returns its output, or throws its error, as a gateway receives them. */
  async command<Name extends keyof Commands>(
    name: Name,
    input: Commands[Name]['in'],
    context: Context = {},
  ): Promise<Commands[Name]['out']> {
    return (await this.recorded(name, input, context)).out;
  }

  /** @param timeoutMs how long the client waits for the answer. */
  async recorded<Name extends keyof Commands>(
    name: Name,
    input: Commands[Name]['in'],
    context: Context = {},
    timeoutMs?: number,
  ): Promise<{ position: number; out: Commands[Name]['out'] }> {
    return this.send(name, input, context, timeoutMs);
  }

  /** @param timeoutMs how long the client waits for the answer. */
  query<Name extends keyof Queries>(
    name: Name,
    input: Queries[Name]['in'],
    context: Context = {},
    timeoutMs?: number,
  ): Promise<Queries[Name]['out']> {
    return this.send(name, input, context, timeoutMs);
  }

  /** Answers a read as a gateway does, once its replica has all recorded facts. */
  async read<Name extends keyof Reads>(
    name: Name,
    input: Reads[Name]['in'],
    context: Context = {},
  ): Promise<Reads[Name]['out']> {
    this.gateway ??= this.follow(new ConfigurationReplica({ isCompressed: true }));
    const replica = await this.gateway;
    await replica.waitFor(await this.newest());
    return new ConfigurationReads(replica).read(name, input, this.context(context));
  }

  sealed(settings: object, workspace: string = this.workspace): string {
    return SECRETS.seal(JSON.stringify(settings), workspace);
  }

  /** Has the resolutions wait that something asks for: nobody performs them here, and a live one hinders changes. */
  async keepResolutions(): Promise<void> {
    await this.pool.query(
      `CREATE FUNCTION penstock.keep() RETURNS trigger LANGUAGE plpgsql AS
         'BEGIN NEW.waiting := false; RETURN NEW; END'`,
    );
    await this.pool.query(
      `CREATE TRIGGER keep BEFORE INSERT OR UPDATE ON penstock.resolutions
       FOR EACH ROW EXECUTE FUNCTION penstock.keep()`,
    );
  }

  /** Opens a text with the present data key of the workspace. */
  async opened(sealed: string, workspace: string): Promise<string> {
    return (await this.seals()).open(sealed, workspace);
  }

  /** The seals of all present data keys. */
  async seals(): Promise<Seals> {
    const { rows } = await this.pool.query<DataKey>('SELECT * FROM penstock.data_keys');
    return new Seals(SECRETS, (workspace) => rows.find((key) => key.workspace === workspace));
  }

  /** The organization and the workspace that the first start has created. */
  async founded(): Promise<{ organization: OrganizationId; workspace: WorkspaceId }> {
    const { rows } = await this.pool.query<{ organization: OrganizationId; id: WorkspaceId }>(
      'SELECT organization, id FROM penstock.workspaces ORDER BY id LIMIT 1',
    );
    const [first] = rows;
    if (first === undefined) throw new Error('there is no workspace');
    return { organization: first.organization, workspace: first.id };
  }

  /** A workspace without facts, which has only a data key. */
  async bareWorkspace(): Promise<WorkspaceId> {
    const { workspace, id, wrapped } = newDataKey(SECRETS, newId() as WorkspaceId);
    await this.pool.query(
      'INSERT INTO penstock.data_keys (workspace, id, wrapped) VALUES ($1, $2, $3)',
      [workspace, id, wrapped],
    );
    return workspace;
  }

  /** Settings of a warehouse for a new workspace, in a schema that does not exist yet. */
  newWarehouse(workspace: string): Commands['CreateWorkspace']['in']['warehouse'] {
    const { hostname, port, pathname, username, password } = new URL(this.databaseUrl);
    const settings = {
      host: hostname,
      port: Number(port),
      username,
      password: decodeURIComponent(password),
      database: pathname.slice(1),
      schema: `warehouse_${workspace}`,
    };
    const sealed = this.sealed(settings, workspace);
    return { platform: 'PostgreSQL', settings: sealed, mcpSettings: null };
  }

  async source(
    input: Partial<Commands['CreateConnection']['in']> = {},
    context: Context = {},
  ): Promise<ConnectionId> {
    return this.connection({ connector: 'javascript', role: 'Source', ...input }, context);
  }

  async destination(
    input: Partial<Commands['CreateConnection']['in']> = {},
    context: Context = {},
  ): Promise<ConnectionId> {
    return this.connection({ connector: 'dummy', role: 'Destination', ...input }, context);
  }

  async close(): Promise<void> {
    await Promise.all([...this.services].map((service) => this.stop(service)));
    await this.functions.close();
    await this.client.close();
    await this.http.close();
    await this.log.close();
    await this.pool.end();
    await this.database.drop();
  }

  private async connection(
    input: Pick<Commands['CreateConnection']['in'], 'connector' | 'role'>,
    context: Context,
  ): Promise<ConnectionId> {
    const { id } = await this.command(
      'CreateConnection',
      {
        id: newId() as ConnectionId,
        name: 'A connection',
        settings: this.sealed({}, context.workspace),
        sendingMode: null,
        linkedConnections: [],
        writeKey: aWriteKey(context.workspace ?? this.workspace),
        ...input,
      },
      context,
    );
    return id;
  }

  private async send<Out>(
    name: OperationName,
    input: object,
    changes: Context,
    timeoutMs = 30_000,
  ): Promise<Out> {
    const context = this.context(changes);
    const { id, connection, source } = input as Readonly<Record<string, string | undefined>>;
    const about = id ?? connection ?? source ?? '';
    const key = isIdForm(about) ? about : context.workspace;
    const { kind, carriesRecords } = OPERATIONS[name];
    const request = {
      key,
      commandId: context.commandId,
      topic: kind === 'query' ? TOPIC.queries : TOPIC.commands,
      timeoutMs,
    };
    try {
      if (!carriesRecords)
        return await this.answerTo<Out>(name, { ...request, data: { context, in: input } });
      const seals = await this.seals();
      const data = { context, in: sealMessage(seals, input, { ...context, is: 'request' }) };
      const answer = await this.answerTo<SealedMessage>(name, { ...request, data });
      return openOutcome<Out>(seals, answer, context);
    } catch (error) {
      checkDeclared(name, error);
      throw error;
    }
  }

  private answerTo<Out>(name: OperationName, request: LogRequestOptions<object>): Promise<Out> {
    return lastValueFrom(this.client.send<Out>(name, new LogRequest(request)));
  }
}

/** Refusals that any operation may have. */
const REFUSED_ANYWHERE: readonly string[] = [
  'BadRequest',
  'Conflict',
  'OrganizationDisabled',
  'ServiceUnavailable',
  'WorkspaceNotExist',
];

/** Fails for a refusal that the operation does not declare, since the API document would lack it. */
const checkDeclared = (name: OperationName, error: unknown): void => {
  const isRefusal = error instanceof RequestFailed || error instanceof Refusal;
  if (!isRefusal || error.kind === undefined) return;
  const declared = OPERATIONS[name].refusals.map(({ code }): string => code);
  if (!declared.includes(error.code) && !REFUSED_ANYWHERE.includes(error.code))
    throw new Error(`${name} was refused with ${error.code}, which is not declared`);
};

const openPostgresLog = (databaseUrl: string): MessageLog =>
  new PostgresMessageLog({
    connection: { connectionString: databaseUrl },
    onFault: () => undefined,
  });

let keys = 0;

export const aWriteKey = (workspace: string, plain = `write-key-${String((keys += 1))}`) => ({
  hash: SECRETS.keyedHash(plain),
  sealed: SECRETS.seal(plain, workspace),
});
