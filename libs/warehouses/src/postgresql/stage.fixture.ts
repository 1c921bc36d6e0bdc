import type { Json } from '@penstock/schema';
import { JsonNumber } from '@penstock/schema';
import { type Beginning, type FreshDatabase, freshDatabase } from '@penstock/test-servers';
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { type Warehouse, WarehouseFault, type WarehouseSettings } from '../platform/warehouse';
import type { ReaderOptions, WarehouseReader } from '../platform/warehouse-reader';
import type { WarehouseWriter, WriterOptions } from '../platform/warehouse-writer';
import { postgresqlPlatform } from './platform/postgresql-platform';

const platform = postgresqlPlatform({ allow: ['127.0.0.0/8'] });

export const SCHEMA = 'warehouse';
export const PASSWORD = 'not the password of anybody else';

const connected = async (connectionString: string): Promise<Client> => {
  const client = new Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  return client;
};

/** A database with its owner's connection, and users that are made for one spec. */
export class Stage {
  /**
   * @param server URL of another one than all specs share.
   * @param like what the database begins with; absent: it is empty.
   */
  static async open(server?: string, like?: Beginning): Promise<Stage> {
    const database = await freshDatabase(server, like);
    return new Stage(database, await connected(database.url));
  }

  /** Does something in a database that is there, and leaves it and the roles that were made. */
  static async in(url: string, work: (stage: Stage) => Promise<unknown>): Promise<void> {
    const owner = await connected(url);
    try {
      await work(new Stage({ url, drop: () => Promise.resolve() }, owner));
    } finally {
      await owner.end();
    }
  }

  private readonly roles: string[] = [];

  private constructor(
    private readonly database: FreshDatabase,
    private owner: Client,
  ) {}

  /** After the server was killed. */
  async reconnect(): Promise<void> {
    this.owner = await connected(this.database.url);
  }

  /** As the superuser of the server. */
  async run(...statements: readonly string[]): Promise<void> {
    for (const statement of statements) await this.owner.query(statement);
  }

  async rows(statement: string): Promise<readonly unknown[]> {
    return (await this.owner.query<Record<string, unknown>>(statement)).rows;
  }

  /** @returns the name of a role of its own that may log in. */
  async role(attributes = ''): Promise<string> {
    const name = `role_${randomBytes(6).toString('hex')}`;
    await this.run(`CREATE ROLE ${name} LOGIN PASSWORD '${PASSWORD}' ${attributes}`);
    this.roles.push(name);
    return name;
  }

  /** A user that owns what somebody else has made in a database that this one is a copy of. */
  async heir(): Promise<string> {
    const role = await this.role();
    const [found] = await this.rows(
      `SELECT nspowner::regrole::text AS maker FROM pg_namespace WHERE nspname = '${SCHEMA}'`,
    );
    const { maker } = found as { readonly maker: string };
    await this.run(`REASSIGN OWNED BY ${maker} TO ${role}`);
    return role;
  }

  /** A user that owns the schema, which is empty. */
  async loader(): Promise<string> {
    const role = await this.role();
    await this.run(`CREATE SCHEMA ${SCHEMA} AUTHORIZATION ${role}`);
    return role;
  }

  settings(username: string, changes: Readonly<Record<string, Json>> = {}): WarehouseSettings {
    const { hostname, port, pathname } = new URL(this.database.url);
    return new Map<string, Json>([
      ['host', hostname],
      ['port', new JsonNumber(port)],
      ['username', username],
      ['password', PASSWORD],
      ['database', pathname.slice(1)],
      ['schema', SCHEMA],
      ...Object.entries(changes),
    ]);
  }

  /** Does something as the user, on a connection of its own. */
  async as<T>(
    username: string,
    work: (warehouse: Warehouse) => Promise<T>,
    changes: Readonly<Record<string, Json>> = {},
  ): Promise<T> {
    return this.connected(this.settings(username, changes), AbortSignal.timeout(120_000), work);
  }

  /** Does something as the user on a connection that is cut when the signal fires. */
  cut<T>(
    username: string,
    signal: AbortSignal,
    work: (warehouse: Warehouse) => Promise<T>,
  ): Promise<T> {
    return this.connected(this.settings(username), signal, work);
  }

  /** Resolves when something is not refused as busy any more: the server has noticed that a connection was cut. */
  async untilFree(work: () => Promise<unknown>): Promise<void> {
    const isBusy = (error: unknown): boolean =>
      error instanceof WarehouseFault && error.kind === 'busy';
    for (;;)
      try {
        await work();
        return;
      } catch (error) {
        if (!isBusy(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
  }

  private async connected<T>(
    settings: WarehouseSettings,
    signal: AbortSignal,
    work: (warehouse: Warehouse) => Promise<T>,
  ): Promise<T> {
    const warehouse = await platform.connect(settings, signal);
    try {
      return await work(warehouse);
    } finally {
      await warehouse.close();
    }
  }

  /** Opens what writes as the user. */
  writer(
    username: string,
    options: WriterOptions,
    // A spec that hangs is ended by its own limit: on a busy machine, a file of specs takes long.
    signal = new AbortController().signal,
  ): Promise<WarehouseWriter> {
    return platform.openWriter(this.settings(username), options, signal);
  }

  /** Opens what reads as the user. */
  reader(
    username: string,
    options: ReaderOptions,
    signal: AbortSignal,
    changes: Readonly<Record<string, Json>> = {},
  ): Promise<WarehouseReader> {
    return platform.openReader(this.settings(username, changes), options, signal);
  }

  async close(): Promise<void> {
    // A session that a test has cut off may still be there.
    await this.run(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE usename = ANY (ARRAY[${this.roles.map((role) => `'${role}'`).join(', ')}]::name[])`,
    );
    await this.owner.end();
    await this.database.drop(this.roles);
  }
}
