import { type LocalSnowflake, startSnowflake } from '@penstock/local-snowflake';
import { readNumber, readText } from '@penstock/settings';
import { canonicalDecimal } from '@penstock/schema';
import fc from 'fast-check';
import { LITERAL_CASES, type LiteralCase } from '../database/literals.fixture';
import type { MergeStand } from '../merging/merge.contract';
import { call, settingsOf } from '../reading.fixture';
import { SnowflakeSession } from './session';
import { snowflakeName } from './snowflake-literal';
import { createSnowflakeDatabase } from './snowflake-database';
import { snowflakeTargetOf, type SnowflakePlace } from './snowflake-settings';

/** The stand-in has an address, where an account has none. */
const placeOf: SnowflakePlace = (settings) => {
  const host = readText(settings, 'host');
  const shown = host.includes(':') ? `[${host}]` : host;
  return `http://${shown}:${String(readNumber(settings, 'port'))}`;
};

const text = { kind: 'string' };

const integers = (digits: number, bitSize: 32 | 64): LiteralCase => {
  const maximum = 10n ** BigInt(digits) - 1n;
  const values = fc.bigInt({ min: -maximum, max: maximum });
  return {
    name: `${String(digits)} digits`,
    type: { kind: 'int', bitSize, unsigned: false, minimum: -maximum, maximum },
    values: bitSize === 32 ? values.map(Number) : values,
  };
};

const LIMITS = { precision: 38, scale: 10 };

/** Cases of literals without those that Snowflake cannot hold. */
export const SNOWFLAKE_CASES: readonly LiteralCase[] = [
  ...LITERAL_CASES.filter(({ name }) => name !== 'decimal'),
  integers(9, 32),
  integers(18, 64),
  {
    name: 'decimal of Snowflake',
    type: { kind: 'decimal', ...LIMITS },
    values: fc
      .bigInt({ min: 1n - 10n ** 38n, max: 10n ** 38n - 1n })
      .map((unscaled) => canonicalDecimal(`${String(unscaled)}e-10`, LIMITS) ?? '0'),
  },
];

/** A stand-in of Snowflake of its own. */
export class SnowflakeStand implements MergeStand {
  static async open(): Promise<SnowflakeStand> {
    const server = await startSnowflake();
    const stand = new SnowflakeStand(server);
    stand.owner = await SnowflakeSession.open(
      snowflakeTargetOf(settingsOf(stand.settings()), placeOf),
      // For as long as the stand.
      call(AbortSignal.timeout(2_147_483_647)),
    );
    return stand;
  }

  readonly database = createSnowflakeDatabase(placeOf);
  readonly isInCapitals = true;
  readonly mixesCases = true;
  readonly endsBeforeRows = true;
  readonly manyRows = 40_001;
  readonly tables = [
    {
      name: 'merged0',
      create: `CREATE TABLE merged0 ("id" NUMBER(9,0), "name" VARCHAR(8), "amount" NUMBER(9,0), "note" VARCHAR(9) DEFAULT 'new')`,
      from: '(SELECT "id" AS id, "name" AS name, "amount" AS amount, "note" AS note FROM merged0) AS m',
      replaces: false,
    },
  ];
  readonly findsAll = true;
  /** The stand-in is slow. */
  readonly runs = 4;
  /** Until the batch lasts, but for hours when nobody goes on. */
  readonly locks = false;
  readonly committing = 'COMMIT';
  readonly keyType = 'NUMBER(9,0)';
  readonly kinds = SNOWFLAKE_CASES;
  readonly columnTypes = {
    string: 'VARCHAR',
    boolean: 'BOOLEAN',
    '9 digits': 'NUMBER(9,0)',
    '18 digits': 'NUMBER(18,0)',
    'float 64': 'FLOAT',
    'decimal of Snowflake': 'NUMBER(38,10)',
    datetime: 'TIMESTAMP_TZ',
    date: 'DATE',
    time: 'TIME',
  };
  /** The stand-in does not describe tables with an apostrophe. */
  readonly oddName = 'we"ird `ta;ble';
  /** The stand-in keeps microseconds in all columns. */
  readonly times = [];
  readonly people = [
    'CREATE TABLE people (id NUMBER(9,0) PRIMARY KEY, name varchar(20) NOT NULL, city varchar(20) UNIQUE)',
    "INSERT INTO people VALUES (1, 'Ada', 'London'), (2, 'Bo', NULL)",
  ];
  /** The driver does not tell how long texts may be. */
  readonly peopleTypes = {
    ID: { kind: 'int', bitSize: 32, minimum: -999_999_999, maximum: 999_999_999 },
    NAME: text,
    CITY: text,
  };
  readonly peopleKeys = { required: ['id', 'name'], keys: [['ID'], ['CITY']] };
  readonly writing = { text: "INSERT INTO people (id, name) VALUES (3, 'C')", reason: /./ };
  readonly changing = { text: 'DROP TABLE people', reason: /./ };
  readonly failing =
    "SELECT CAST(CASE n WHEN 3 THEN 'x' ELSE '1' END AS NUMBER(9,0)) AS x FROM " +
    '(SELECT SEQ4() + 1 AS n FROM TABLE(GENERATOR(ROWCOUNT => 3)))';
  readonly hanging =
    'SELECT count(*) AS hangs FROM TABLE(GENERATOR(ROWCOUNT => 10000000)) AS a, TABLE(GENERATOR(ROWCOUNT => 10000000)) AS b';

  private owner!: SnowflakeSession;

  private constructor(readonly server: LocalSnowflake) {}

  settings = () => {
    const { port, username, password, role, database, schema, warehouse } = this.server;
    return {
      ...{ host: '127.0.0.1', port, account: 'acme-eu', username, password },
      ...{ role, database, schema, warehouse },
    };
  };

  run = async (...statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await this.owner.rows(statement);
  };

  sessionsWith = async (words: string): Promise<number> => (await this.server.count(words)).running;

  terminate = (words: string): Promise<void> => this.server.terminate(words);

  framed = (bytes: Uint8Array, n: number): Buffer => {
    const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${String(bytes.length)}\r\n\r\n`;
    return n === 0 ? Buffer.concat([Buffer.from(head), bytes]) : Buffer.from(bytes);
  };

  numbers = (count: number): string =>
    `(SELECT SEQ4() + 1 AS n FROM TABLE(GENERATOR(ROWCOUNT => ${String(count)}))) AS s`;

  repeated = (count: number): string => `repeat('x', ${String(count)})`;

  quoted = snowflakeName;

  create = (table: string, columns: readonly (readonly [string, string])[]): string => {
    const all = columns.map(
      ([name, type]) => `${name.startsWith('"') ? name : this.quoted(name)} ${type}`,
    );
    return `CREATE TABLE ${table} (${all.join(', ')})`;
  };

  async close(): Promise<void> {
    await this.owner.close();
    await this.server.stop();
  }
}

/** Milliseconds: packages of Python may have to be installed first. */
const INSTALL_TIMEOUT_MS = 700_000;

/** Opens a stand for the specs of a file, and closes it after them. @returns it, while they run */
export const standOfSpecs = (): (() => SnowflakeStand) => {
  let stand: SnowflakeStand;
  beforeAll(async () => {
    stand = await SnowflakeStand.open();
  }, INSTALL_TIMEOUT_MS);
  afterAll(() => stand.close());
  return () => stand;
};
