import {
  type ClickhouseOptions,
  type SharedClickhouse,
  sharedClickhouse,
  startClickhouse,
} from '@penstock/local-clickhouse';
import { randomBytes } from 'node:crypto';
import type { MergeStand } from '../merging/merge.contract';
import { clickhouseName } from './clickhouse-literal';
import { clickhouseDatabase } from './clickhouse-database';

const PASSWORD = 'not for everybody';

/** Characters of the text that is repeated to make long ones. */
const STEP = 8_192;

const USERS = [
  { name: 'reader', password: PASSWORD, readonly: 0 as const },
  { name: 'watcher', password: PASSWORD, readonly: 1 as const },
];

/**
 * A database of its own on a ClickHouse: Debian's package, 18.16, whose HTTP interface is the one of newer servers. Users
 * are the same for all stands of a server, so that only one spec file looks for the statements that they run.
 */
export class ClickhouseStand implements MergeStand {
  /** Opens one on the server that all specs share. */
  static async open(): Promise<ClickhouseStand> {
    const stand = new ClickhouseStand(await sharedClickhouse(USERS));
    await stand.run(`CREATE DATABASE ${stand.name}`);
    return stand;
  }

  /** Opens one on a server of its own, which ends with it. */
  static async openOwn(options: ClickhouseOptions): Promise<ClickhouseStand> {
    const server = await startClickhouse({ ...options, users: USERS });
    const stand = new ClickhouseStand(server);
    stand.closeServer = () => server.stop();
    if (options.tls === undefined) await stand.run(`CREATE DATABASE ${stand.name}`);
    return stand;
  }

  readonly database = clickhouseDatabase;
  readonly people = [
    'CREATE TABLE people (id Int32, name String, city Nullable(String)) ENGINE = ReplacingMergeTree ORDER BY id',
    "INSERT INTO people VALUES (1, 'Ada', 'London'), (2, 'Bo', NULL)",
  ];
  readonly peopleTypes = {
    id: { kind: 'int', bitSize: 32 },
    name: { kind: 'string' },
    city: { kind: 'string' },
  };
  readonly peopleKeys = { required: [], keys: [['id']] };
  readonly failing = 'SELECT number AS n, throwIf(number = 200000) AS x FROM numbers(300000)';
  readonly writing = {
    text: "INSERT INTO people (id, name) VALUES (3, 'C')",
    reason: /readonly mode/,
  };
  readonly changing = { text: 'DROP TABLE people', reason: /readonly mode/ };

  private readonly name = `crm_${randomBytes(6).toString('hex')}`;
  private closeServer?: () => Promise<void>;

  private constructor(private readonly server: SharedClickhouse) {}

  settings = () => ({
    host: '127.0.0.1',
    port: this.server.port,
    username: 'reader',
    password: PASSWORD,
    database: this.name,
  });

  run = async (...statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await this.rows(statement);
  };

  /** What the server answers to an administrator: a JSON text for each row. */
  rows = async (statement: string): Promise<readonly string[]> => {
    const { port, username, password } = this.server;
    const isCreating = statement.startsWith('CREATE DATABASE');
    const parameters = new URLSearchParams({
      database: isCreating ? 'default' : this.name,
      default_format: 'JSONEachRow',
    });
    const response = await fetch(`http://127.0.0.1:${String(port)}/?${parameters.toString()}`, {
      method: 'POST',
      body: statement,
      headers: { 'X-ClickHouse-User': username, 'X-ClickHouse-Key': password },
    });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text.split('\n').filter((line) => line !== '');
  };

  sessionsWith = async (words: string): Promise<number> =>
    (
      await this.rows(
        `SELECT query_id FROM system.processes WHERE user = 'reader' AND position(query, '${words}') > 0`,
      )
    ).length;

  terminate = async (words: string): Promise<void> => {
    await this.run(`KILL QUERY WHERE user = 'reader' AND position(query, '${words}') > 0`);
  };

  framed = (bytes: Uint8Array): Buffer =>
    Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n{"meta":['), bytes]);

  numbers = (count: number): string =>
    `(SELECT number + 1 AS n FROM numbers(${String(count)})) AS s`;

  repeated = (count: number): string => {
    const x = `'${'x'.repeat(Math.min(count, STEP))}'`;
    return count <= STEP ? x : `replaceAll('${'x'.repeat(count / STEP)}', 'x', ${x})`;
  };

  readonly tables = [
    {
      name: 'merged',
      create: `CREATE TABLE merged (id Int32, name Nullable(FixedString(8)), amount Nullable(Int32),
        note Nullable(String) DEFAULT 'new') ENGINE = ReplacingMergeTree ORDER BY id`,
      from: 'merged FINAL',
      replaces: true,
    },
  ];
  /** The server does not sleep longer than three seconds at a time. */
  readonly hanging =
    'SELECT count() AS hangs FROM numbers(1000000000000) WHERE NOT ignore(sipHash64(number))';
  readonly findsAll = false;
  readonly locks = false;
  readonly committing = 'JSONEachRow';
  /** Debian's server has no time finer than a second, and rounds floats that it reads. */
  readonly columnTypes = {
    string: 'String',
    'int 32': 'Int32',
    'int 32 unsigned': 'UInt32',
    'int 64': 'Int64',
    'int 64 unsigned': 'UInt64',
    uuid: 'UUID',
  };

  readonly times = [['DateTime', 'datetime', 0]] as const;

  quoted = clickhouseName;

  create = (table: string, columns: readonly (readonly [string, string])[]): string =>
    `CREATE TABLE ${table} (${columns.map((each) => each.join(' ')).join(', ')})
     ENGINE = ReplacingMergeTree ORDER BY id`;

  async close(): Promise<void> {
    await (this.closeServer?.() ?? this.run(`DROP DATABASE ${this.name}`));
  }
}
