import { type FreshDatabase, freshDatabase } from '@penstock/test-servers';
import { randomBytes } from 'node:crypto';
import { Client, escapeIdentifier } from 'pg';
import type { MergeStand } from '../merging/merge.contract';
import { RELATIONAL_PEOPLE } from '../database/types.fixture';
import { postgresqlDatabase } from './postgresql-database';

const PASSWORD = 'not the password of anybody else';

/** An empty database of its own on the PostgreSQL of the specs, and a user that owns it. */
export class PostgresqlStand implements MergeStand {
  static async open(): Promise<PostgresqlStand> {
    const database = await freshDatabase();
    const owner = new Client({ connectionString: database.url });
    await owner.connect();
    const role = `role_${randomBytes(6).toString('hex')}`;
    await owner.query(`CREATE ROLE ${role} LOGIN PASSWORD '${PASSWORD}'`);
    await owner.query(`CREATE SCHEMA crm AUTHORIZATION ${role}`);
    await owner.query(`SET search_path TO crm`);
    return new PostgresqlStand(database, owner, role);
  }

  readonly database = postgresqlDatabase;
  readonly people = RELATIONAL_PEOPLE.people;
  readonly peopleTypes = RELATIONAL_PEOPLE.peopleTypes;
  readonly peopleKeys = RELATIONAL_PEOPLE.peopleKeys;
  readonly writing = {
    text: 'DELETE FROM people RETURNING id',
    reason: /^cannot execute DELETE in a read-only transaction$/,
  };
  readonly changing = {
    text: 'DROP TABLE people',
    reason: /^cannot execute DROP TABLE in a read-only transaction$/,
  };

  private constructor(
    private readonly fresh: FreshDatabase,
    private readonly owner: Client,
    private readonly role: string,
  ) {}

  settings = () => {
    const { hostname, port, pathname } = new URL(this.fresh.url);
    return {
      host: hostname,
      port: Number(port),
      username: this.role,
      password: PASSWORD,
      database: pathname.slice(1),
      schema: 'crm',
    };
  };

  run = async (...statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await this.owner.query(statement);
    await this.owner.query(`GRANT ALL ON ALL TABLES IN SCHEMA crm TO ${this.role}`);
  };

  /** As {@link run}, without giving the user any right. */
  revoke = async (statement: string): Promise<void> => {
    await this.owner.query(statement);
  };

  sessionsWith = async (words: string): Promise<number> => {
    const { rowCount } = await this.owner.query(
      `SELECT FROM pg_stat_activity WHERE usename = $1 AND state <> 'idle' AND strpos(query, $2) > 0`,
      [this.role, words],
    );
    return rowCount ?? 0;
  };

  terminate = async (words: string): Promise<void> => {
    await this.owner.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1 AND strpos(query, $2) > 0`,
      [this.role, words],
    );
  };

  framed = (bytes: Uint8Array): Buffer => {
    const types = 'RKSZTDCENAGWdcI123nst';
    const header = Buffer.alloc(5);
    header.write(types[(bytes[0] ?? 0) % types.length] ?? 'R', 0, 'latin1');
    header.writeInt32BE(bytes.length + 3, 1);
    return Buffer.concat([header, bytes.subarray(1)]);
  };

  numbers = (count: number): string => `generate_series(1, ${String(count)}) AS s (n)`;

  repeated = (count: number): string => `repeat('x', ${String(count)})`;

  get failing(): string {
    return `SELECT n, (SELECT m.id FROM people m WHERE n = 3 OR m.id = 1) AS x FROM ${this.numbers(3)}`;
  }

  readonly tables = ['PRIMARY KEY', ''].map((key, n) => ({
    name: `merged${String(n)}`,
    create: `CREATE TABLE merged${String(n)} (id int ${key}, name varchar(8), amount int, note varchar(9) DEFAULT 'new')`,
    from: `merged${String(n)}`,
    replaces: false,
  }));
  readonly hanging = 'SELECT pg_sleep(60) IS NOT NULL AS hangs';
  readonly findsAll = true;
  readonly locks = true;
  readonly committing = 'COMMIT';
  readonly columnTypes = {
    string: 'text',
    boolean: 'boolean',
    'int 32': 'int',
    'int 64': 'bigint',
    'float 32': 'real',
    'float 64': 'double precision',
    decimal: 'numeric(65,30)',
    datetime: 'timestamptz',
    date: 'date',
    time: 'time',
    uuid: 'uuid',
    ip: 'inet',
    json: 'json',
  };

  readonly times = [
    ['timestamptz(0)', 'datetime', 0],
    ['timestamptz(3)', 'datetime', 3],
    ['timestamptz', 'datetime', 6],
    ['timestamp(1)', 'datetime', 1],
    ['time(0)', 'time', 0],
    ['time', 'time', 6],
  ] as const;

  quoted = escapeIdentifier;

  create = (table: string, columns: readonly (readonly [string, string])[]): string =>
    `CREATE TABLE ${table} (${columns.map((each) => each.join(' ')).join(', ')}, PRIMARY KEY (id))`;

  async close(): Promise<void> {
    await this.owner.query(`DROP OWNED BY ${this.role} CASCADE`);
    await this.owner.query(`DROP ROLE ${this.role}`);
    await this.owner.end();
    await this.fresh.drop();
  }
}
