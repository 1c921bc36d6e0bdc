import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@penstock/embedded-postgres';
import { freePorts } from '@penstock/local-kafka';
import { freeze } from './freeze';
import { type Installation, startAll } from './installation';
import { lendCluster } from './lend-cluster';
import { childrenOf } from './processes';
import { scratchFolder } from './scratch-folder';
import { ServiceProcess, type ServiceProcessOptions } from './service-process';

/** All services in one process, with the database that it starts. */
export class EmbeddedInstallation implements Installation {
  readonly apiKey: string;
  readonly penstock: ServiceProcess;
  readonly address: string;
  readonly brokers: readonly string[] = [];
  private thaw: () => void = () => undefined;

  private constructor(
    readonly folder: string,
    port: number,
    opsPort: number,
    env: Readonly<Record<string, string>>,
    command: ServiceProcessOptions['command'],
  ) {
    this.apiKey = env['PENSTOCK_BOOTSTRAP_KEY'] ?? '';
    this.address = `http://127.0.0.1:${String(port)}`;
    this.penstock = new ServiceProcess({
      service: 'standalone',
      folder: join(folder, 'standalone'),
      scratch: folder,
      opsPort,
      ...(command && { command }),
      env: {
        PENSTOCK_PORT: String(port),
        PENSTOCK_OPS_PORT: String(opsPort),
        PENSTOCK_DATA: join(folder, 'data'),
        ...env,
      },
    });
  }

  /** An empty installation that is not started. */
  static async create(
    env: Readonly<Record<string, string>> = {},
    command?: ServiceProcessOptions['command'],
  ): Promise<EmbeddedInstallation> {
    const folder = await scratchFolder();
    const [port = 0, opsPort = 0] = await freePorts(2);
    return new EmbeddedInstallation(folder, port, opsPort, env, command);
  }

  /** Starts one for tests: with a known key, without the demo, allowed to send to this machine. */
  static async start(
    env: Readonly<Record<string, string>> = {},
    command?: ServiceProcessOptions['command'],
  ): Promise<EmbeddedInstallation> {
    const usual = {
      PENSTOCK_BOOTSTRAP_KEY: randomBytes(32).toString('hex'),
      PENSTOCK_DEMO: '0',
      PENSTOCK_EGRESS_ALLOW: '127.0.0.0/8',
      LOG_FORMAT: 'json',
    };
    const installation = await EmbeddedInstallation.create({ ...usual, ...env }, command);
    if (env['DATABASE_URL'] === undefined) await lendCluster(join(installation.folder, 'data'));
    await startAll(installation);
    return installation;
  }

  get services(): readonly ServiceProcess[] {
    return [this.penstock];
  }

  get configuration(): ServiceProcess {
    return this.penstock;
  }

  get executor(): ServiceProcess {
    return this.penstock;
  }

  get onTheWay(): readonly ServiceProcess[] {
    return [this.penstock];
  }

  get databaseUrl(): string {
    const [, , , port = ''] = this.databaseFile('postmaster.pid').split('\n');
    const password = this.databaseFile('penstock.password').trim();
    return `postgres://penstock:${password}@127.0.0.1:${port}/penstock`;
  }

  /** Process id of the database server; undefined when it does not run. */
  get databasePid(): number | undefined {
    try {
      const [line] = this.databaseFile('postmaster.pid').split('\n');
      return Number(line);
    } catch {
      return undefined;
    }
  }

  /** Kills a child process of the database server, which then ends all connections, recovers and accepts new ones. */
  restartLog(): Promise<void> {
    const [part] = childrenOf(this.presentDatabase());
    if (part !== undefined) process.kill(part, 'SIGKILL');
    return Promise.resolve();
  }

  /** Freezes the database: connections stay open, nothing answers. */
  stopLog(): Promise<void> {
    this.thaw = freeze(this.presentDatabase());
    return Promise.resolve();
  }

  resumeLog(): Promise<void> {
    this.thaw();
    this.thaw = () => undefined;
    return Promise.resolve();
  }

  stopDatabase(): Promise<void> {
    return this.stopLog();
  }

  resumeDatabase(): Promise<void> {
    return this.resumeLog();
  }

  private databaseFile(name: string): string {
    return readFileSync(join(this.folder, 'data', 'postgres', name), 'utf8');
  }

  private presentDatabase(): number {
    const { databasePid } = this;
    if (databasePid === undefined) throw new Error('there is no database');
    return databasePid;
  }

  async destroy(): Promise<void> {
    await this.resumeLog();
    await this.penstock.kill9();
    if (this.databasePid !== undefined)
      await (await startEmbeddedPostgres({ dataDir: join(this.folder, 'data') })).stop();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
