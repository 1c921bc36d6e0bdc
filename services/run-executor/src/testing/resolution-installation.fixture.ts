import { randomUUID } from 'node:crypto';
import { createConnectors, createGuardedHttp, DummyStore } from '@penstock/connectors';
import {
  type ConfigurationState,
  type ConnectionId,
  dataKeyKey,
  type EndedErasure,
  type EndedResolution,
  type ErasureId,
  type ErasureView,
  eventCodec,
  instant,
  type LatestResolution,
  type LiveResolution,
  type OrganizationId,
  type PipelineId,
  type PipelineStateAt,
  type PublishedProfileFact,
  type RequestedErasure,
  requestTopicOf,
  type ResolutionId,
  type ResolutionSettings,
  type ResolutionTrigger,
  stateKey,
  TOPIC,
  type RecordedProfiles,
  type WarehousePipelineState,
  type WarehouseState,
  type WorkspaceId,
  FIRST_PROFILE_SCHEMA,
} from '@penstock/contracts';
import { createGuardedSockets } from '@penstock/egress';
import { LogClient, LogRequest, openPool, PostgresMessageLog } from '@penstock/messaging';
import {
  createLogger,
  Health,
  newDataKey,
  newId,
  openOutcome,
  type SealedMessage,
  sealMessage,
  Seals,
  SecretBox,
} from '@penstock/runtime';
import { parseJson, parseSchema } from '@penstock/schema';
import { freshDatabase, until } from '@penstock/test-servers';
import { createFunctionRunner } from '@penstock/transformations';
import {
  createWarehouses,
  profilesDifference,
  type Eraser,
  type Remover,
  type Resolver,
  type WarehousePlatform,
  type WarehouseWriter,
} from '@penstock/warehouses';
import { Pool } from 'pg';
import { lastValueFrom } from 'rxjs';
import { createRunExecutor } from '../create-run-executor';
import type { ExecutorOptions } from '../workers/executor-options';
import { lapse, type RunningExecutor } from './installation.fixture';
import { WITHOUT_RUNS } from './without-runs.fixture';

/** Of the installation. */
export const secrets = new SecretBox('a secret that only these specs know of');
const logger = createLogger({ service: 'spec', LOG_LEVEL: 'silent', LOG_FORMAT: 'json' });
const PASSWORD = 'not the password of anybody else';
const ORGANIZATION = 'organization0001' as OrganizationId;

/** Short times and small batches, so that what a lost worker leaves behind is soon taken up, in the midst. */
const OPTIONS: Partial<ExecutorOptions> = {
  ...{ leaseMs: 600_000, renewMs: 1_000, lookMs: 50, resolutionBatch: 15 },
  ...{ backoffBaseMs: 20, backoffCapMs: 200 },
};

const SETTINGS: ResolutionSettings = {
  ...{ runOnBatchImport: true, eventDelay: null, identifiers: ['email', 'first_name'] },
  blockedValues: {},
};

/** The schema of an object with these texts. */
const objectOf = (names: readonly string[]): string =>
  JSON.stringify({
    kind: 'object',
    properties: names.map((name) => ({ name, type: { kind: 'string' }, readOptional: true })),
  });

/** An identity as it stands in the warehouse of a workspace. */
export interface StoredIdentity {
  readonly connection: string;
  readonly recordId: string;
  readonly email: string | null;
  readonly firstName: string | null;
  readonly profile: string | null;
}

/** What a source says of a user. */
export interface WrittenIdentity {
  readonly recordId: string;
  readonly email?: string;
  readonly firstName?: string;
}

/** What befalls the calls of a resolver, an eraser or a remover. */
export type Interception = (
  method:
    | 'takeApart'
    | 'resolve'
    | 'facts'
    | 'forgetFacts'
    | 'take'
    | 'next'
    | 'eraseEvents'
    | 'remove'
    | 'before',
  work: () => Promise<unknown>,
  /** Ends the call; absent where nothing does. */
  signal?: AbortSignal,
) => Promise<unknown>;

/** Where warehouses are that are not in schemas of the database. */
export interface Elsewhere {
  readonly platform: WarehousePlatform;
  readonly settingsOf: (workspace: WorkspaceId) => object;
}

const inDatabase = (): WarehousePlatform => {
  const platform = createWarehouses({ allow: ['127.0.0.0/8'] }).get('PostgreSQL');
  if (platform === undefined) throw new Error('there is no PostgreSQL');
  return platform;
};

/** A database with the embedded log, warehouses of workspaces in schemas of it, and executors over them. */
export class ResolutionInstallation {
  readonly ends: (EndedResolution & { readonly workspace: WorkspaceId })[] = [];
  readonly erasureEnds: (EndedErasure & { readonly workspace: WorkspaceId })[] = [];
  /** Ids of suppressions. */
  readonly suppressed = new Set<string>();
  readonly triggers: {
    readonly workspace: WorkspaceId;
    readonly trigger: ResolutionTrigger;
    readonly full: boolean;
    readonly command: string;
  }[] = [];
  private readonly platform: WarehousePlatform;
  private readonly functions = createFunctionRunner({ timeLimitMs: 2_000, spares: 0 });
  private readonly executors = new Set<RunningExecutor>();
  private readonly killed: (() => Promise<void>)[] = [];
  private readonly client: LogClient;
  private readonly dataKeys = new Map<string, ReturnType<typeof newDataKey>>();
  private readonly seals = new Seals(secrets, (workspace) => this.dataKeys.get(workspace));
  private readonly live = new Map<WorkspaceId, LiveResolution>();
  private readonly erasing = new Map<WorkspaceId, readonly RequestedErasure[]>();
  /** What the pipeline service answers when it is asked for the newest state of a pipeline. */
  readonly history = new Map<PipelineId, readonly PipelineStateAt[]>();
  /** Whether the pipeline service answers. */
  isAsked = true;
  private position = 0;
  private writes = 0;

  private constructor(
    readonly url: string,
    private readonly role: string,
    readonly log: PostgresMessageLog,
    readonly pool: Pool,
    private readonly drop: () => Promise<void>,
    private readonly elsewhere?: Elsewhere,
  ) {
    this.client = new LogClient({ log, timeoutMs: 120_000 });
    this.platform = elsewhere?.platform ?? inDatabase();
  }

  /** @param elsewhere absent: warehouses are in schemas of the database. */
  static async open(elsewhere?: Elsewhere): Promise<ResolutionInstallation> {
    const { url, drop } = await freshDatabase(undefined, WITHOUT_RUNS);
    const log = new PostgresMessageLog({ connection: { connectionString: url } });
    const pool = new Pool({ connectionString: url, max: 8 });
    const role = `role_${newId().toLowerCase()}`;
    await pool.query(`CREATE ROLE ${role} SUPERUSER LOGIN PASSWORD '${PASSWORD}'`);
    return new ResolutionInstallation(url, role, log, pool, drop, elsewhere);
  }

  /** Makes a workspace with an empty warehouse. */
  async workspace(): Promise<WorkspaceId> {
    const id = newId() as WorkspaceId;
    const dataKey = newDataKey(secrets, id);
    this.dataKeys.set(id, dataKey);
    await this.log.append(TOPIC.configurationState, [
      { key: dataKeyKey(id), value: JSON.stringify({ dataKey }) },
    ]);
    await this.configure({
      ...{ kind: 'workspace', id, organization: ORGANIZATION, name: 'Main' },
      ...{ version: 1, deleted: false },
    });
    await this.warehouse(id);
    const signal = AbortSignal.timeout(30_000);
    const warehouse = await this.platform.connect(this.settingsOf(id), signal);
    await warehouse.initialise(id);
    await warehouse.close();
    return id;
  }

  /** Makes what is missing in the warehouse of a workspace. */
  async repair(id: WorkspaceId): Promise<void> {
    const signal = AbortSignal.timeout(60_000);
    const warehouse = await this.platform.connect(this.settingsOf(id), signal);
    await warehouse.repair(id, FIRST_PROFILE_SCHEMA);
    await warehouse.close();
  }

  /** Deletes a workspace. */
  async remove(id: WorkspaceId): Promise<void> {
    await this.configure({
      ...{ kind: 'workspace', id, organization: ORGANIZATION, name: 'Main' },
      ...{ version: 2, deleted: true },
    });
  }

  /** Publishes how the identities of a workspace are resolved, and the mode of its warehouse. */
  async warehouse(
    id: WorkspaceId,
    settings: Partial<ResolutionSettings> = {},
    mode: WarehouseState['mode'] = 'Normal',
    profiles?: RecordedProfiles,
  ): Promise<void> {
    await this.configure({
      ...{ kind: 'warehouse', id, platform: this.platform.name, version: this.position + 1, mode },
      ...(profiles !== undefined && { profiles }),
      ...{ settings: this.seals.seal(JSON.stringify(this.placeOf(id)), id), mcpSettings: null },
      resolution: { ...SETTINGS, ...settings },
    });
  }

  /** Renames the property `email` of profiles to `mail`. */
  async renameEmail(id: WorkspaceId): Promise<void> {
    const from = FIRST_PROFILE_SCHEMA;
    const json = objectOf(['mail', 'first_name', 'last_name']);
    const to = { version: 2, schema: parseSchema(parseJson(json)) };
    const rePaths = new Map([['mail', 'email']]);
    const difference = profilesDifference(from.schema, to.schema, rePaths);
    if ('issues' in difference) throw new Error(JSON.stringify(difference.issues));
    const begun = () => Promise.resolve();
    const warehouse = await this.platform.connect(this.settingsOf(id), AbortSignal.timeout(60_000));
    await warehouse.changeProfiles(id, { from, to, difference, marksAll: false, begun });
    await warehouse.close();
    await this.warehouse(id, {}, 'Normal', { version: 2, schema: json, primarySources: {} });
  }

  seal(workspace: WorkspaceId, values: readonly string[]): string {
    return this.seals.seal(JSON.stringify(values), workspace);
  }

  /** Writes what a source says. */
  async write(
    workspace: WorkspaceId,
    source: string,
    identities: readonly WrittenIdentity[],
  ): Promise<void> {
    this.writes += 1;
    const writes = this.writes;
    await this.writing(workspace, async (writer) => {
      const begun = await writer.begin({ role: `run ${String(writes)}`, epoch: 1 });
      await begun.write({
        ...{ connection: source as ConnectionId, pipeline: `${source}a` as PipelineId },
        updates: identities.map(({ recordId, email, firstName }) => ({
          ...{ kind: 'record', recordId, updatedAtUs: BigInt(writes), tieBreaker: 'run' },
          values: {
            ...(email !== undefined && { email }),
            ...(firstName !== undefined && { first_name: firstName }),
          },
        })),
      });
    });
  }

  /** A version of a pipeline that writes identities in events. */
  pipelineState(
    workspace: WorkspaceId,
    connection: ConnectionId,
    id: PipelineId,
    deleted: boolean,
  ): WarehousePipelineState {
    return {
      ...{ kind: 'pipeline', id, workspace, connection, version: deleted ? 100 : 1, deleted },
      ...{ target: 'User', eventType: null, name: 'Users', enabled: true, filter: null },
      ...{ transformation: { mapping: { email: 'traits.email' }, function: null } },
      outSchema: objectOf(['email']),
    };
  }

  /** Publishes a version of a pipeline that writes these properties; none: it has no transformation. */
  async pipeline(
    workspace: WorkspaceId,
    connection: ConnectionId,
    id: PipelineId,
    version: number,
    names: readonly string[],
  ): Promise<void> {
    const state = this.versionOf(workspace, connection, id, version, names);
    this.record(state);
    await this.configure(state);
  }

  /** A version of a pipeline that writes these properties. */
  versionOf(
    workspace: WorkspaceId,
    connection: ConnectionId,
    id: PipelineId,
    version: number,
    names: readonly string[],
  ): WarehousePipelineState {
    const state = this.pipelineState(workspace, connection, id, false);
    if (names.length === 0) return { ...state, version, transformation: null, outSchema: null };
    return { ...state, version, outSchema: objectOf(names) };
  }

  /** Deletes a pipeline, as the pipeline service records it. */
  async deletePipeline(
    workspace: WorkspaceId,
    connection: ConnectionId,
    id: PipelineId,
  ): Promise<void> {
    this.record(this.pipelineState(workspace, connection, id, true));
    await this.publishDeletion(workspace, connection, id);
  }

  /** The same, as an old topic tells it of a pipeline that the pipeline service has. */
  async publishDeletion(
    workspace: WorkspaceId,
    connection: ConnectionId,
    id: PipelineId,
  ): Promise<void> {
    await this.configure(this.pipelineState(workspace, connection, id, false));
    await this.configure(this.pipelineState(workspace, connection, id, true));
  }

  /** The newest version of a pipeline, as the pipeline service answers it, whatever is published. */
  record(state: WarehousePipelineState): void {
    this.history.set(state.id, [{ position: 1, state }]);
  }

  /** Publishes a source of events. */
  async source(workspace: WorkspaceId): Promise<ConnectionId> {
    const id = newId() as ConnectionId;
    await this.configure({
      ...{ kind: 'connection', id, workspace, name: 'Web', connector: 'nodejs', role: 'Source' },
      ...{ connectorType: 'SDK', sendingMode: null, settings: this.seals.seal('{}', workspace) },
      ...{ version: 1, deleted: false, writeKeys: [], links: [] },
    });
    return id;
  }

  /** Writes events of users, each of its own time of the process. */
  async events(
    workspace: WorkspaceId,
    connectionId: ConnectionId,
    users: readonly string[],
  ): Promise<void> {
    const time = '2026-03-01T09:30:00.123Z';
    const event = (userId: string) =>
      eventCodec.parse(
        JSON.stringify({
          ...{ connectionId, userId, anonymousId: 'browser', messageId: newId(), type: 'track' },
          ...{ event: 'e', receivedAt: time, sentAt: time, originalTimestamp: time },
          ...{ timestamp: time, properties: {}, traits: {} },
        }),
      );
    await this.writing(workspace, async (writer) => {
      const begun = await writer.beginEvents({ role: 'events', epoch: 1 });
      await begun.write(users.map(event));
    });
  }

  /** Requests the erasure of a person, as the pipeline service records it. */
  async erase(workspace: WorkspaceId, profile: string): Promise<ErasureId> {
    const erasure = newId() as ErasureId;
    const requested = { erasure, profile, requestedAt: instant(new Date()), actor: 'key1' };
    await this.publishErasures(workspace, [...(this.erasing.get(workspace) ?? []), requested]);
    return erasure;
  }

  /** Waits until the pipeline service knows its end. */
  async erased(erasure: ErasureId): Promise<EndedErasure> {
    const find = () => this.erasureEnds.find((end) => end.erasure === erasure);
    await until(() => find() !== undefined);
    return find()!;
  }

  /** What executors tell of an erasure. */
  async erasure(workspace: WorkspaceId, id: ErasureId): Promise<ErasureView> {
    const context = {
      ...{ commandId: randomUUID(), actor: 'key1', requestId: randomUUID() },
      ...{ organization: ORGANIZATION, workspace },
    };
    const { requestId: key, commandId } = context;
    const data = { context, in: { id, seen: this.position } };
    const request = new LogRequest({ key, commandId, topic: requestTopicOf('GetErasure'), data });
    return lastValueFrom(this.client.send<ErasureView>('GetErasure', request));
  }

  /** Starts a resolution, as the pipeline service records it. */
  async resolve(id: WorkspaceId, members: Partial<LiveResolution> = {}): Promise<ResolutionId> {
    const live: LiveResolution = {
      ...{ resolution: newId() as ResolutionId, trigger: 'API', full: false, actor: 'key1' },
      ...{ startedAt: instant(new Date()), cancelled: false, ...members },
    };
    await this.publish(id, live);
    return live.resolution;
  }

  /** Requests its cancel. */
  async cancel(id: WorkspaceId): Promise<void> {
    const live = this.live.get(id);
    if (live !== undefined) await this.publish(id, { ...live, cancelled: true });
  }

  /** Waits until the pipeline service knows its end. */
  async ended(resolution: ResolutionId): Promise<EndedResolution> {
    const find = () => this.ends.find((end) => end.resolution === resolution);
    await until(() => find() !== undefined);
    return find()!;
  }

  /** Ends the leases of killed executors, as time would. Call it while none is running. */
  lapse(): Promise<void> {
    return lapse(this.pool);
  }

  async start(
    options: Partial<ExecutorOptions> = {},
    intercept: Interception = (_, work) => work(),
  ): Promise<RunningExecutor> {
    const http = createGuardedHttp({ allow: ['127.0.0.0/8'] });
    const pool = openPool({ connectionString: this.url, max: 8 }, { statementMs: 20_000 });
    const log = new PostgresMessageLog({ connection: { connectionString: this.url } });
    const executor = await createRunExecutor({
      sockets: createGuardedSockets(['127.0.0.0/8']),
      ...{ log, pool, http, secrets, logger, functions: this.functions, health: new Health() },
      connectors: createConnectors({ dummyStore: new DummyStore(pool), filesRoot: '/nowhere' }),
      warehouses: { get: () => this.intercepted(intercept) },
      history: {
        pipelineVersion: () => Promise.resolve(undefined),
        pipelineStates: (id) => this.statesOf(id),
      },
      endRun: () => Promise.resolve(),
      noteRunWait: () => Promise.resolve(),
      endResolution: (workspace, end) => this.end(workspace, end),
      triggerResolution: (workspace, trigger, full, command) => {
        this.triggers.push({ workspace, trigger, full, command });
        return Promise.resolve();
      },
      suppressErased: (_, users) => {
        for (const user of users) this.suppressed.add(user);
        return Promise.resolve();
      },
      endErasure: (workspace, end) => this.endErasure(workspace, end),
      runs: { ...OPTIONS, ...options },
    });
    const running: RunningExecutor = {
      close: async () => {
        this.executors.delete(running);
        await executor.close();
        await Promise.all([http.close(), log.close(), pool.end()]);
      },
      kill: async () => {
        this.executors.delete(running);
        await Promise.all([log.close(), pool.end()]);
        this.killed.push(async () => {
          await executor.close().catch(() => undefined);
          await http.close();
        });
      },
    };
    this.executors.add(running);
    return running;
  }

  /** What a router tells of. */
  async note(workspaces: readonly WorkspaceId[]): Promise<void> {
    const context = { commandId: randomUUID(), actor: 'event-router', requestId: randomUUID() };
    const { requestId: key, commandId } = context;
    const topic = requestTopicOf('NoteIdentities');
    const request = new LogRequest({
      key,
      commandId,
      topic,
      data: { context, in: { workspaces } },
    });
    await lastValueFrom(this.client.send('NoteIdentities', request));
  }

  async latest(workspace: WorkspaceId): Promise<LatestResolution> {
    const context = {
      ...{ commandId: randomUUID(), actor: 'key1', requestId: randomUUID() },
      ...{ organization: ORGANIZATION, workspace },
    };
    const { requestId: key, commandId } = context;
    const sealed = sealMessage(this.seals, { seen: this.position }, { ...context, is: 'request' });
    const data = { context, in: sealed };
    const topic = requestTopicOf('GetLatestResolution');
    const request = new LogRequest({ key, commandId, topic, data });
    const answer = this.client.send<SealedMessage>('GetLatestResolution', request);
    return openOutcome<LatestResolution>(this.seals, await lastValueFrom(answer), context);
  }

  /** The values of a column of the identities. */
  async valuesOf(workspace: WorkspaceId, column: string): Promise<readonly (string | null)[]> {
    const { rows } = await this.pool.query<{ value: string | null }>(
      `SELECT ${column} AS value FROM ${schemaOf(workspace)}._identities ORDER BY _id`,
    );
    return rows.map(({ value }) => value);
  }

  async identities(workspace: WorkspaceId): Promise<readonly StoredIdentity[]> {
    const { rows } = await this.pool.query<StoredIdentity>(
      `SELECT _connection AS connection, _record_id AS "recordId", email, first_name AS "firstName",
              _profile_id AS profile FROM ${schemaOf(workspace)}._identities ORDER BY _id`,
    );
    return rows;
  }

  /** What stands on the topic of profiles, in the order of the numbers, without repetitions. */
  async published(workspace: WorkspaceId): Promise<readonly PublishedProfileFact[]> {
    const facts = new Map<string, PublishedProfileFact>();
    const ends = await this.log.endOffsets(TOPIC.profiles);
    for (const partition of ends.keys()) {
      const { records } = await this.log.read(TOPIC.profiles, partition, 0, 10_000_000);
      for (const { value } of records) {
        const fact = JSON.parse(value ?? '') as PublishedProfileFact;
        if (fact.workspace === workspace) facts.set(fact.id, fact);
      }
    }
    return [...facts.values()].sort((one, other) => Number(one.number) - Number(other.number));
  }

  async close(): Promise<void> {
    for (const executor of this.executors) await executor.close();
    await Promise.all(this.killed.map((end) => end()));
    await this.client.close();
    await this.functions.close();
    await this.log.close();
    await this.pool.query(`DROP OWNED BY ${this.role} CASCADE`);
    await this.pool.query(`DROP ROLE ${this.role}`);
    await this.pool.end();
    await this.drop();
  }

  private async writing(
    workspace: WorkspaceId,
    work: (writer: WarehouseWriter) => Promise<void>,
  ): Promise<void> {
    const { keyedHash } = this.seals;
    const options = { workspace, profiles: FIRST_PROFILE_SCHEMA, keyedHash };
    const signal = AbortSignal.timeout(60_000);
    const writer = await this.platform.openWriter(this.settingsOf(workspace), options, signal);
    await work(writer);
    await writer.close();
  }

  private placeOf(workspace: WorkspaceId): object {
    if (this.elsewhere !== undefined) return this.elsewhere.settingsOf(workspace);
    const { hostname: host, port, pathname } = new URL(this.url);
    return {
      ...{ host, port: Number(port), username: this.role, password: PASSWORD },
      ...{ database: pathname.slice(1), schema: schemaOf(workspace) },
    };
  }

  private settingsOf(workspace: WorkspaceId) {
    return this.platform.checkSettings(parseJson(JSON.stringify(this.placeOf(workspace))));
  }

  private statesOf(pipeline: PipelineId): Promise<readonly PipelineStateAt[]> {
    if (!this.isAsked) return Promise.reject(new Error('the pipeline service does not answer'));
    return Promise.resolve(this.history.get(pipeline) ?? []);
  }

  private async end(workspace: WorkspaceId, end: EndedResolution): Promise<void> {
    if (this.live.get(workspace)?.resolution !== end.resolution) return;
    await this.publish(workspace, null);
    this.ends.push({ workspace, ...end });
  }

  private async endErasure(workspace: WorkspaceId, end: EndedErasure): Promise<void> {
    const live = this.erasing.get(workspace) ?? [];
    if (!live.some(({ erasure }) => erasure === end.erasure)) return;
    this.erasureEnds.push({ workspace, ...end });
    await this.publishErasures(
      workspace,
      live.filter(({ erasure }) => erasure !== end.erasure),
    );
  }

  private async publishErasures(id: WorkspaceId, live: readonly RequestedErasure[]): Promise<void> {
    this.erasing.set(id, live);
    await this.configure({ kind: 'erasure', id, version: this.position + 1, live });
  }

  private async publish(id: WorkspaceId, live: LiveResolution | null): Promise<void> {
    if (live === null) this.live.delete(id);
    else this.live.set(id, live);
    const version = this.position + 1;
    await this.configure({ kind: 'resolution', id, version, live, waiting: null });
  }

  private async configure(state: ConfigurationState): Promise<void> {
    this.position += 1;
    const value = JSON.stringify({ position: this.position, state });
    await this.log.append(TOPIC.configurationState, [{ key: stateKey(state), value }]);
  }

  private intercepted(intercept: Interception): WarehousePlatform {
    const { platform } = this;
    const on = <T>(
      method: Parameters<Interception>[0],
      work: () => Promise<T>,
      signal?: AbortSignal,
    ): Promise<T> => intercept(method, work, signal) as Promise<T>;
    const over = (resolver: Resolver): Resolver => ({
      pending: () => resolver.pending(),
      sharedValues: () => resolver.sharedValues(),
      takeApart: (...all) => on('takeApart', () => resolver.takeApart(...all)),
      resolve: (...all) => on('resolve', () => resolver.resolve(...all)),
      facts: (limit) => on('facts', () => resolver.facts(limit)),
      forgetFacts: (upTo) => on('forgetFacts', () => resolver.forgetFacts(upTo)),
    });
    const overEraser = (eraser: Eraser): Eraser => ({
      take: (signal) => on('take', () => eraser.take(signal), signal),
      next: () => on('next', () => eraser.next()),
      eraseEvents: (signal) => on('eraseEvents', () => eraser.eraseEvents(signal)),
    });
    const overRemover = (remover: Remover): Remover => ({
      remove: (before) => on('remove', () => remover.remove(() => on('before', before))),
    });
    return {
      ...platform,
      openWriter: async (...all) => {
        const writer = await platform.openWriter(...all);
        return {
          begin: (by) => writer.begin(by),
          beginEvents: (by) => writer.beginEvents(by),
          beginResolution: async (...by) => over(await writer.beginResolution(...by)),
          beginMatches: (...by) => writer.beginMatches(...by),
          beginErasure: async (...by) => overEraser(await writer.beginErasure(...by)),
          beginRemoval: async (...by) => overRemover(await writer.beginRemoval(...by)),
          pipelines: (limit) => writer.pipelines(limit),
          dropLeftOvers: () => writer.dropLeftOvers(),
          close: () => writer.close(),
        };
      },
    };
  }
}

const schemaOf = (workspace: WorkspaceId): string => `w_${workspace.toLowerCase()}`;
