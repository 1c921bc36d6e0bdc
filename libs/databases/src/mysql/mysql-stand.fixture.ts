import {
  type MariadbOptions,
  type SharedMariadb,
  sharedMariadb,
  startMariadb,
} from '@penstock/local-mariadb';
import { randomBytes } from 'node:crypto';
import { type Connection, createConnection, escapeId } from 'mysql2';
import type { MergeStand } from '../merging/merge.contract';
import { RELATIONAL_PEOPLE } from '../database/types.fixture';
import { mysqlDatabase } from './mysql-database';

const PASSWORD = 'not for everybody';

/** A database of its own on a MariaDB, and a user that may do everything in it. */
export class MysqlStand implements MergeStand {
  /** Opens one on the server that all specs share. */
  static async open(): Promise<MysqlStand> {
    return MysqlStand.on(await sharedMariadb());
  }

  /** Opens one on a server of its own, which ends with it. */
  static async openOwn(options: MariadbOptions = {}): Promise<MysqlStand> {
    const server = await startMariadb(options);
    const stand = await MysqlStand.on(server);
    stand.closeServer = () => server.stop();
    stand.killServer = () => server.kill();
    return stand;
  }

  private static async on(server: SharedMariadb): Promise<MysqlStand> {
    const { port, username: user, password } = server;
    const owner = createConnection({ host: '127.0.0.1', port, user, password });
    owner.on('error', () => undefined);
    const suffix = randomBytes(6).toString('hex');
    const stand = new MysqlStand(server, owner, `crm_${suffix}`, `reader_${suffix}`);
    await stand.run(
      `CREATE DATABASE ${stand.name}`,
      `USE ${stand.name}`,
      `GRANT ALL ON ${stand.name}.* TO ${stand.reader}@'%' IDENTIFIED BY '${PASSWORD}'`,
    );
    return stand;
  }

  readonly database = mysqlDatabase;
  readonly people = RELATIONAL_PEOPLE.people;
  readonly peopleTypes = RELATIONAL_PEOPLE.peopleTypes;
  readonly peopleKeys = RELATIONAL_PEOPLE.peopleKeys;
  readonly writing = {
    text: "INSERT INTO people (id, name) VALUES (3, 'C') RETURNING id",
    reason: /^Cannot execute statement in a READ ONLY transaction$/,
  };
  readonly changing = { text: 'DROP TABLE people', reason: /^the statement gives no rows$/ };

  /** Ends the server of {@link openOwn} at once, as a crash does. */
  killServer?: () => Promise<void>;
  private closeServer?: () => Promise<void>;

  private constructor(
    private readonly server: SharedMariadb,
    private readonly owner: Connection,
    private readonly name: string,
    private readonly reader: string,
  ) {}

  settings = () => ({
    host: '127.0.0.1',
    port: this.server.port,
    username: this.reader,
    password: PASSWORD,
    database: this.name,
    tls: 'preferred',
  });

  run = async (...statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await this.rows(statement);
  };

  rows = (statement: string): Promise<readonly object[]> =>
    new Promise((resolve, reject) => {
      this.owner.query(statement, (error, rows) => {
        if (error === null) resolve(rows as unknown as readonly object[]);
        else reject(error);
      });
    });

  sessionsWith = async (words: string): Promise<number> => (await this.idsWith(words)).length;

  terminate = async (words: string): Promise<void> => {
    for (const id of await this.idsWith(words))
      await this.run(`KILL ${String(id)}`).catch((error: unknown) => {
        if (!String(error).includes('Unknown thread id')) throw error;
      });
  };

  framed = (bytes: Uint8Array, n: number): Buffer => {
    const header = Buffer.from([bytes.length, 0, 0, n]);
    // What a server begins with, so that half of the first messages are read further.
    const greeting = n === 0 && bytes.length % 2 === 0 ? Buffer.from(bytes).fill(10, 0, 1) : bytes;
    return Buffer.concat([header, greeting]);
  };

  numbers = (count: number): string => `(SELECT seq AS n FROM seq_1_to_${String(count)}) AS s`;

  repeated = (count: number): string => `repeat('x', ${String(count)})`;

  get failing(): string {
    return `SELECT n, (SELECT m.id FROM people m WHERE n = 3 OR m.id = 1) AS x FROM ${this.numbers(3)}`;
  }

  /** The third has a key of its own beside the given one, which another row may have. */
  readonly tables = ['PRIMARY KEY', '', 'PRIMARY KEY, other int UNIQUE DEFAULT NULL'].map(
    (key, n) => ({
      name: `merged${String(n)}`,
      create: `CREATE TABLE merged${String(n)} (id int ${key}, name varchar(8), amount int, note varchar(9) DEFAULT 'new') CHARACTER SET utf8mb4`,
      from: `merged${String(n)}`,
      replaces: false,
    }),
  );
  readonly hanging = 'SELECT SLEEP(60) AS hangs';
  readonly findsAll = true;
  readonly locks = true;
  readonly committing = 'COMMIT';
  readonly columnTypes = {
    string: 'text CHARACTER SET utf8mb4',
    boolean: 'boolean',
    'int 32': 'int',
    'int 32 unsigned': 'int unsigned',
    'int 64': 'bigint',
    'int 64 unsigned': 'bigint unsigned',
    'float 64': 'double',
    decimal: 'decimal(65,30)',
    datetime: 'datetime(6)',
    date: 'date',
    time: 'time(6)',
    json: 'json',
  };

  readonly times = [
    ['datetime', 'datetime', 0],
    ['datetime(3)', 'datetime', 3],
    ['datetime(6)', 'datetime', 6],
    ['time', 'time', 0],
    ['time(1)', 'time', 1],
    ['time(6)', 'time', 6],
  ] as const;

  quoted = (name: string): string => escapeId(name, true);

  create = (table: string, columns: readonly (readonly [string, string])[]): string =>
    `CREATE TABLE ${table} (${columns.map((each) => each.join(' ')).join(', ')}, PRIMARY KEY (id))`;

  async close(): Promise<void> {
    if (this.closeServer === undefined)
      await this.run(`DROP DATABASE ${this.name}`, `DROP USER ${this.reader}`);
    this.owner.destroy();
    await this.closeServer?.();
  }

  private async idsWith(words: string): Promise<readonly number[]> {
    const rows = await this.rows(
      `SELECT ID AS id FROM information_schema.PROCESSLIST
       WHERE USER = '${this.reader}' AND INSTR(INFO, '${words}') > 0`,
    );
    return (rows as readonly { readonly id: number }[]).map(({ id }) => id);
  }
}
