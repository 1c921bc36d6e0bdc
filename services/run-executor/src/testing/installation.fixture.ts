import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import {
  type Connector,
  type Connectors,
  createConnectors,
  createGuardedHttp,
  DummyStore,
} from '@penstock/connectors';
import {
  type ConfigurationState,
  type ConnectionId,
  type ConnectionRole,
  type ConnectionState,
  dataKeyKey,
  type ImportPipelineState,
  type ImportSource,
  instant,
  type LiveRun,
  type OrganizationId,
  type PipelineId,
  type Queries,
  type RecordedRunFact,
  requestTopicOf,
  type RunEnd,
  type RunId,
  type RunPipelineState,
  type RunView,
  stateKey,
  TOPIC,
  type WarehouseMode,
  type WorkspaceId,
} from '@penstock/contracts';
import { createGuardedSockets } from '@penstock/egress';
import { LogClient, LogRequest, openPool, PostgresMessageLog } from '@penstock/messaging';
import { createLogger, Health, newDataKey, newId, Seals, SecretBox } from '@penstock/runtime';
import { addWitness, freshDatabase, SELF_SIGNED, until } from '@penstock/test-servers';
import { createFunctionRunner } from '@penstock/transformations';
import { WarehouseFault, type WarehousePlatform, type WarehouseWriter } from '@penstock/warehouses';
import { Pool } from 'pg';
import { lastValueFrom } from 'rxjs';
import { createRunExecutor } from '../create-run-executor';
import { FakeWarehouse } from '../engine/fake-warehouse.fixture';
import type { ExecutorOptions } from '../workers/executor-options';
import { WITHOUT_RUNS } from './without-runs.fixture';

export const WORKSPACE = 'workspace0000001' as WorkspaceId;
export const FILES = 'connectionfiles1' as ConnectionId;
export const USERS = 'connectionusers1' as ConnectionId;

const secrets = new SecretBox('a secret that only these specs know of');
const dataKey = newDataKey(secrets, WORKSPACE);
const seals = new Seals(secrets, () => dataKey);
const logger = createLogger({ service: 'spec', LOG_LEVEL: 'silent', LOG_FORMAT: 'json' });

/** Short times, but a lease that no machine is too busy to keep; {@link lapse} ends those of lost workers. */
const OPTIONS: Partial<ExecutorOptions> = {
  leaseMs: 600_000,
  renewMs: 1_000,
  lookMs: 50,
  batchRecords: 100,
  backoffBaseMs: 20,
  backoffCapMs: 200,
};

const TEXT = { kind: 'string' };
const OUT = JSON.stringify({
  kind: 'object',
  properties: [{ name: 'email', type: TEXT, readOptional: true }],
});
const IN = JSON.stringify({
  kind: 'object',
  properties: [
    { name: 'id', type: TEXT },
    { name: 'email', type: TEXT },
    { name: 'plan', type: TEXT },
  ],
});

/** A pipeline that imports the file `users.csv`. */
export const fileImport = (
  members: Partial<ImportPipelineState> = {},
  source: Partial<Extract<ImportSource, { kind: 'file' }>> = {},
): ImportPipelineState => ({
  kind: 'pipeline',
  id: newId() as PipelineId,
  workspace: WORKSPACE,
  connection: FILES,
  version: 1,
  deleted: false,
  target: 'User',
  eventType: null,
  name: 'Users of a file',
  enabled: true,
  filter: JSON.stringify({
    logical: 'and',
    conditions: [{ property: 'plan', operator: 'is not', values: ['none'] }],
  }),
  transformation: { mapping: { email: 'email' }, function: null },
  outSchema: OUT,
  imports: {
    source: {
      ...{ kind: 'file', format: 'csv', path: 'users.csv', sheet: null, compression: '' },
      formatSettings: '{"hasColumnNames":true}',
      columns: { userID: 'id', updatedAt: null, updatedAtFormat: null },
      ...source,
    },
    inSchema: IN,
    incremental: false,
  },
  ...members,
});

const EMAIL_OF_USER = JSON.stringify({
  kind: 'object',
  properties: [{ name: 'email', type: { kind: 'string', maxLength: 254 } }],
});

/** A pipeline that imports the users of the test application. */
export const applicationImport = (
  members: Partial<ImportPipelineState> = {},
): ImportPipelineState => ({
  ...fileImport({ filter: null, connection: USERS }),
  imports: { source: { kind: 'application' }, inSchema: EMAIL_OF_USER, incremental: true },
  ...members,
});

const TYPES: Readonly<Record<string, ConnectionState['connectorType']>> = {
  filesystem: 'FileStorage',
  'http-post': 'FileStorage',
  postgresql: 'Database',
  mysql: 'Database',
  clickhouse: 'Database',
  s3: 'FileStorage',
  sftp: 'FileStorage',
};

const connection = (
  id: ConnectionId,
  connector: string,
  settings: object,
  role: ConnectionRole = 'Source',
): ConnectionState => ({
  ...{ kind: 'connection', id, workspace: WORKSPACE, name: connector, connector },
  connectorType: TYPES[connector] ?? 'Application',
  ...{ role, sendingMode: null, version: 1, deleted: false, writeKeys: [], links: [] },
  settings: seals.seal(JSON.stringify(settings), WORKSPACE),
});

/** A process that performs runs. */
export interface RunningExecutor {
  close(): Promise<void>;
  /** From now on it reaches neither the database nor the warehouse, as after a power failure. */
  kill(): Promise<void>;
}

const LEASED = ['runs', 'resolutions', 'erasures', 'removals'];

/** Ends all leases in the tables of executors, as time would. */
export const lapse = async (pool: Pool): Promise<void> => {
  for (const table of LEASED)
    await pool.query(
      `UPDATE penstock_runs.${table} SET lease_until = clock_timestamp() - interval '1 millisecond'
        WHERE isfinite(lease_until) AND lease_until > clock_timestamp()`,
    );
};

/** A database with the embedded log, files, a warehouse in memory, and executors over them. */
export class Installation {
  readonly warehouse = new FakeWarehouse();
  readonly ends: RunEnd[] = [];
  /** How often what lost writers have left in the warehouse was removed. */
  sweeps = 0;
  /** The version of the schema of profiles that the warehouse has. */
  profilesVersion = 1;
  /** Opens what reads the warehouse. */
  openReader: WarehousePlatform['openReader'] = () => Promise.reject(new Error('nothing is read'));
  /** Puts another connector in the place of one. */
  overConnector: (connector: Connector) => Connector = (connector) => connector;
  /** Puts another warehouse in the place of the one in memory. */
  overPlatform: (platform: WarehousePlatform) => WarehousePlatform = (platform) => platform;
  /** Opens what writes the warehouse for exports. */
  beginMatches: WarehouseWriter['beginMatches'] = () =>
    Promise.reject(new Error('nobody is matched'));
  readonly folder = mkdtempSync(join(tmpdir(), 'penstock-runs-'));
  readonly functions = createFunctionRunner({ timeLimitMs: 2_000, spares: 0 });
  private readonly executors = new Set<RunningExecutor>();
  /** End what is left of killed executors in this process. */
  private readonly killed: (() => Promise<void>)[] = [];
  private readonly client: LogClient;
  private position = 0;

  private constructor(
    readonly url: string,
    readonly log: PostgresMessageLog,
    readonly pool: Pool,
    private readonly drop: () => Promise<void>,
  ) {
    this.client = new LogClient({ log, timeoutMs: 120_000 });
  }

  static async open(): Promise<Installation> {
    const { url, drop } = await freshDatabase(undefined, WITHOUT_RUNS);
    const log = new PostgresMessageLog({ connection: { connectionString: url } });
    const pool = new Pool({ connectionString: url, max: 8 });
    const installation = new Installation(url, log, pool, drop);
    await log.append(TOPIC.configurationState, [
      { key: dataKeyKey(WORKSPACE), value: JSON.stringify({ dataKey }) },
    ]);
    await installation.configure(
      {
        ...{ kind: 'workspace', id: WORKSPACE, organization: 'organization0001' as OrganizationId },
        ...{ name: 'Main', version: 1, deleted: false },
      },
      {
        ...{ kind: 'warehouse', id: WORKSPACE, platform: 'Fake', version: 1, mode: 'Normal' },
        ...{ settings: seals.seal('{}', WORKSPACE), mcpSettings: null },
      },
      connection(FILES, 'filesystem', {}),
      connection(USERS, 'dummy', { userCount: 1_000, pageSize: 70 }),
    );
    return installation;
  }

  async configure(...states: readonly ConfigurationState[]): Promise<number> {
    await this.log.append(
      TOPIC.configurationState,
      states.map((state) => {
        this.position += 1;
        return { key: stateKey(state), value: JSON.stringify({ position: this.position, state }) };
      }),
    );
    return this.position;
  }

  /** Publishes another schema of profiles, of these texts. */
  async changeProfiles(version: number, names: readonly string[]): Promise<void> {
    const properties = names.map((name) => ({ name, type: TEXT, readOptional: true }));
    const schema = JSON.stringify({ kind: 'object', properties });
    await this.configure({
      ...{ kind: 'warehouse', id: WORKSPACE, platform: 'Fake', version, mode: 'Normal' },
      ...{ settings: seals.seal('{}', WORKSPACE), mcpSettings: null },
      profiles: { version, schema, primarySources: {} },
    });
  }

  /** Changes the mode of the warehouse. */
  async changeMode(mode: WarehouseMode): Promise<void> {
    await this.configure({
      ...{ kind: 'warehouse', id: WORKSPACE, platform: 'Fake', version: 2, mode },
      ...{ settings: seals.seal('{}', WORKSPACE), mcpSettings: null },
    });
  }

  /** Changes the settings of the test application, or puts another one in its place. */
  async users(settings: object, connector = 'dummy'): Promise<void> {
    await this.configure({ ...connection(USERS, connector, settings), version: this.position + 1 });
  }

  /** Makes a destination. */
  async destination(connector: string, settings: object): Promise<ConnectionId> {
    const id = newId() as ConnectionId;
    await this.configure(connection(id, connector, settings, 'Destination'));
    return id;
  }

  writeFile(name: string, rows: readonly string[]): void {
    writeFileSync(join(this.folder, name), `${rows.join('\n')}\n`);
  }

  /** Requests a run, as the pipeline service records it. */
  async request(pipeline: RunPipelineState, members: Partial<LiveRun> = {}): Promise<RunId> {
    const run = newId() as RunId;
    const live: LiveRun = {
      ...{ run, trigger: 'API', pipelineVersion: pipeline.version, incremental: false },
      ...{ cursor: null, requestedAt: instant(new Date()), actor: 'key1', slot: null },
      ...{ cancelled: null, ...members },
    };
    await this.configure(pipeline);
    await this.live(pipeline.id, { ...live, run: members.run ?? run });
    return members.run ?? run;
  }

  /** Publishes the state of the runs of a pipeline. */
  live(id: PipelineId, live: LiveRun): Promise<number> {
    return this.configure({
      ...{ kind: 'runs', id, workspace: WORKSPACE, version: this.position + 1, live },
      ...{
        schedule: null,
        scheduledAt: null,
        cursor: null,
        lastSlot: null,
        lastSkipped: null,
        last: null,
      },
    });
  }

  async start(options: Partial<ExecutorOptions> = {}): Promise<RunningExecutor> {
    const http = createGuardedHttp({
      ...{ allow: ['127.0.0.0/8'], authorities: SELF_SIGNED.cert },
    });
    const pool = openPool({ connectionString: this.url, max: 8 }, { statementMs: 20_000 });
    const log = new PostgresMessageLog({ connection: { connectionString: this.url } });
    let isKilled = false;
    const executor = await createRunExecutor({
      sockets: createGuardedSockets(['127.0.0.0/8']),
      ...{ log, pool, http, secrets, logger, functions: this.functions, health: new Health() },
      connectors: this.connectors(pool),
      warehouses: { get: () => this.overPlatform(this.platform(() => isKilled)) },
      history: {
        pipelineVersion: () => Promise.resolve(undefined),
        pipelineStates: () => Promise.resolve([]),
      },
      noteRunWait: () => Promise.resolve(),
      endRun: (_, end) => {
        this.ends.push(end);
        return Promise.resolve();
      },
      endResolution: () => Promise.resolve(),
      triggerResolution: () => Promise.resolve(),
      suppressErased: () => Promise.resolve(),
      endErasure: () => Promise.resolve(),
      runs: { ...OPTIONS, ...options },
    });
    const running: RunningExecutor = {
      close: async () => {
        this.executors.delete(running);
        await executor.close();
        await Promise.all([http.close(), log.close(), pool.end()]);
      },
      kill: async () => {
        isKilled = true;
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

  private connectors(pool: Pool): Connectors {
    const all = createConnectors({ dummyStore: new DummyStore(pool), filesRoot: this.folder });
    const list = all.list.map((each) => this.overConnector(each));
    return { list, get: (code) => list.find((each) => each.code === code) };
  }

  /** Ends the leases of killed executors, as time would. Call it while none is running. */
  lapse(): Promise<void> {
    return lapse(this.pool);
  }

  async ask<Name extends keyof Queries>(
    name: Name,
    input: Queries[Name]['in'],
  ): Promise<Queries[Name]['out']> {
    const context = {
      ...{ commandId: randomUUID(), actor: 'key1', requestId: randomUUID() },
      ...{ organization: 'organization0001' as OrganizationId, workspace: WORKSPACE },
    };
    const { requestId: key, commandId } = context;
    const data = { context, in: input };
    const request = new LogRequest({ key, commandId, topic: requestTopicOf(name), data });
    return lastValueFrom(this.client.send<Queries[Name]['out']>(name, request));
  }

  run(id: RunId): Promise<RunView> {
    return this.ask('GetRun', { id, seen: this.position });
  }

  /** Waits until a run has ended. */
  async ended(id: RunId): Promise<RunView> {
    let run: RunView | undefined;
    const removeWitness = addWitness(`run ${id}`, () => run);
    await until(async () => {
      run = await this.run(id);
      return run.endTime !== null;
    }).finally(removeWitness);
    return run!;
  }

  /** What stands on the topic of runs. */
  async published(): Promise<RecordedRunFact[]> {
    const { records } = await this.log.read(TOPIC.runs, 0, 0, 10_000_000);
    return records.map(({ value }) => JSON.parse(value ?? '') as RecordedRunFact);
  }

  async close(): Promise<void> {
    for (const executor of this.executors) await executor.close();
    await Promise.all(this.killed.map((end) => end()));
    await this.client.close();
    await this.functions.close();
    await this.log.close();
    await this.pool.end();
    await this.drop();
    rmSync(this.folder, { recursive: true });
  }

  private platform(isKilled: () => boolean): WarehousePlatform {
    const openWriter: WarehousePlatform['openWriter'] = (_, { profiles }) =>
      Promise.resolve({
        begin: ({ epoch, role }) => {
          const writer = this.warehouse.writer(epoch, role);
          const alive = async <T>(work: () => Promise<T>): Promise<T> => {
            if (isKilled()) await new Promise(() => undefined);
            if (profiles.version !== this.profilesVersion)
              throw new WarehouseFault('outdated', 'another schema of profiles');
            return work();
          };
          return Promise.resolve({
            write: (...batch) => alive(() => writer.write(...batch)),
            seen: (run, ids) => alive(() => writer.seen(run, ids)),
            purge: (...purge) => alive(() => writer.purge(...purge)),
            forget: (run) => alive(() => writer.forget(run)),
          });
        },
        dropLeftOvers: () => {
          this.sweeps += 1;
          return Promise.resolve([]);
        },
        beginEvents: () => Promise.reject(new Error('runs write no events')),
        beginResolution: () => Promise.reject(new Error('runs resolve nothing')),
        beginErasure: () => Promise.reject(new Error('runs erase nobody')),
        beginRemoval: () => Promise.reject(new Error('runs remove no pipeline')),
        pipelines: () => Promise.resolve([]),
        beginMatches: async (...by) => {
          const matches = await this.beginMatches(...by);
          const alive = async <T>(work: () => Promise<T>): Promise<T> => {
            if (isKilled()) await new Promise(() => undefined);
            return work();
          };
          return {
            put: (...all) => alive(() => matches.put(...all)),
            find: (...all) => alive(() => matches.find(...all)),
            forget: () => alive(() => matches.forget()),
          };
        },
        close: () => Promise.resolve(),
      });
    const openReader: WarehousePlatform['openReader'] = (...all) => this.openReader(...all);
    return {
      ...{ checkSettings: () => new Map(), openWriter, openReader },
    } as unknown as WarehousePlatform;
  }
}
