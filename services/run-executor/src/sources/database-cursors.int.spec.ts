import type { Microtime, RunId } from '@penstock/contracts';
import { postgresqlDatabase } from '@penstock/databases';
import { createGuardedSockets } from '@penstock/egress';
import {
  type Json,
  JsonNumber,
  type JsonObject,
  type Property,
  type Schema,
} from '@penstock/schema';
import { type FreshDatabase, freshDatabase } from '@penstock/test-servers';
import fc from 'fast-check';
import { Client } from 'pg';
import { FakeLedger } from '../engine/fake-ledger.fixture';
import { FakeWarehouse } from '../engine/fake-warehouse.fixture';
import { Patience } from '../engine/patience';
import { RunPerformance } from '../engine/run-performance';
import type { Steps } from '../engine/steps';
import { ALL_STEPS } from '../engine/tally';
import { DatabaseRecords } from './database-source';

jest.setTimeout(600_000);

const RUNS = Number(process.env['RUNS_OF_PROPERTIES'] ?? 40);
/** The long form tries new values. */
const SEED = process.env['PENSTOCK_TEST_LONG'] === '1' ? {} : { seed: 1 };
const PATIENCE = { backoffBaseMs: 0, backoffCapMs: 0, limitMs: 60_000, functionLimitMs: 60_000 };
const SOCKETS = createGuardedSockets(['127.0.0.0/8']);

/** How a kind of column holds the n-th moment. */
interface TimeColumn {
  readonly type: string;
  readonly kind: 'datetime' | 'date' | 'string';
  readonly format: string | null;
  readonly written: (n: number) => string;
}

const DAY_MS = 86_400_000;
const FROM_MS = Date.UTC(2025, 4, 1);

/** Some are whole seconds, others some microseconds later. */
const micros = (n: number): string => {
  const seconds = new Date(FROM_MS + Math.floor(n / 4) * 1_000).toISOString().slice(0, 19);
  return n % 4 === 0 ? `${seconds}Z` : `${seconds}.${String(n % 4).padStart(6, '0')}Z`;
};

const COLUMNS: readonly TimeColumn[] = [
  { type: 'timestamptz', kind: 'datetime', format: null, written: micros },
  { type: 'timestamp', kind: 'datetime', format: null, written: micros },
  {
    type: 'date',
    kind: 'date',
    format: null,
    written: (n) => new Date(FROM_MS + n * DAY_MS).toISOString().slice(0, 10),
  },
  { type: 'text', kind: 'string', format: 'ISO8601', written: micros },
  {
    type: 'text',
    kind: 'string',
    format: 'ISO8601',
    written: (n) => micros(n).replace('T', ' ').replace('Z', ''),
  },
  {
    type: 'text',
    kind: 'string',
    format: '%d/%m/%Y',
    written: (n) =>
      new Date(FROM_MS + n * DAY_MS).toISOString().slice(0, 10).split('-').reverse().join('/'),
  },
];

const QUERIES = [
  'SELECT id, value, updated_at FROM users',
  `SELECT id, value, updated_at FROM users
   WHERE \${updated_at} IS NULL OR updated_at >= \${updated_at} OR updated_at IS NULL`,
];
const ORDERS = [
  '',
  ' ORDER BY place',
  ' ORDER BY place DESC',
  ' ORDER BY updated_at, id',
  ' ORDER BY updated_at DESC',
];

/** What happens to the source between two runs. */
interface Turn {
  /** Rows that are added or changed, each so much later than what was changed before. */
  readonly changes: readonly {
    readonly id: string;
    readonly later: number;
    readonly timeless: boolean;
  }[];
  readonly deleted: readonly string[];
  readonly incremental: boolean;
  readonly order: string;
  readonly batch: number;
}

interface Case {
  readonly column: TimeColumn;
  readonly query: string;
  readonly turns: readonly Turn[];
}

const id = fc.integer({ min: 1, max: 25 }).map((n) => `u${String(n)}`);
const turn: fc.Arbitrary<Turn> = fc.record({
  changes: fc.array(
    fc.record({
      id,
      later: fc.integer({ min: 0, max: 2 }),
      timeless: fc.nat(9).map((n) => n === 0),
    }),
    { minLength: 1, maxLength: 20 },
  ),
  deleted: fc.array(id, { maxLength: 4 }),
  incremental: fc.boolean(),
  order: fc.constantFrom(...ORDERS),
  batch: fc.integer({ min: 1, max: 8 }),
});
const aCase: fc.Arbitrary<Case> = fc.record({
  column: fc.constantFrom(...COLUMNS),
  query: fc.constantFrom(...QUERIES),
  turns: fc.array(turn, { minLength: 1, maxLength: 5 }),
});

const propertyOf = (name: string, type: Property['type']): Property => ({
  ...{ name, type, prefilled: '', description: '' },
  ...{ createRequired: false, updateRequired: false, readOptional: false, nullable: true },
});
const INT: Property['type'] = {
  ...{ kind: 'int', bitSize: 32, unsigned: false },
  ...{ minimum: -(2n ** 31n), maximum: 2n ** 31n - 1n },
};
const inSchema = ({ kind }: TimeColumn): Schema => ({
  kind: 'object',
  properties: [propertyOf('value', INT), propertyOf('updated_at', { kind })],
});
const steps: Steps = { apply: (records) => Promise.resolve(records.map((values) => ({ values }))) };

let fresh: FreshDatabase;
let client: Client;
let settings: JsonObject;

beforeAll(async () => {
  fresh = await freshDatabase();
  client = new Client({ connectionString: fresh.url });
  await client.connect();
  const { hostname, port, username, password, pathname } = new URL(fresh.url);
  const members: Record<string, Json> = { host: hostname, port: new JsonNumber(port) };
  settings = new Map<string, Json>(
    Object.entries({
      ...members,
      username: decodeURIComponent(username),
      password: decodeURIComponent(password),
      database: pathname.slice(1),
      schema: 'public',
      sslMode: 'prefer',
    }),
  );
});
afterAll(async () => {
  await client.end();
  await fresh.drop();
});

/** A source table with its model, and the imports of it. */
class World {
  private readonly rows = new Map<string, { readonly value: number; readonly at: number | null }>();
  private readonly warehouse = new FakeWarehouse();
  private cursor: Microtime | null = null;
  private clock = 0;
  private run = 0;
  private value = 0;

  constructor(private readonly given: Case) {}

  async begin(): Promise<void> {
    await client.query('DROP TABLE IF EXISTS users');
    await client.query(
      `CREATE TABLE users (id text PRIMARY KEY, value int, updated_at ${this.given.column.type}, place float DEFAULT random())`,
    );
  }

  /** Changes the source, imports, and compares. */
  async turn({ changes, deleted, incremental, order, batch }: Turn): Promise<void> {
    for (const each of changes) this.change(each);
    for (const each of deleted) this.rows.delete(each);
    await this.write();
    const before = this.warehouse.values;
    const isIncremental = incremental && this.cursor !== null;
    const { purged, sizes } = await this.import(isIncremental, order, batch);
    const gone = Object.keys(before).filter((each) => !this.rows.has(each));
    // An incremental import does not see what is missing, and no import purges when its source has given nothing.
    const purges = !isIncremental && this.rows.size > 0;
    const kept = purges ? [] : gone.map((each) => [each, before[each]] as const);
    const expected = [
      ...[...this.rows].map(([each, { value }]) => [each, value] as const),
      ...kept,
    ];
    expect(this.warehouse.values).toEqual(Object.fromEntries(expected));
    expect(purged).toBe(purges ? gone.length : 0);
    // A batch of nothing says that all was read.
    const filled = sizes.filter((size) => size > 0);
    expect(filled.slice(0, -1).every((size) => size === batch)).toBe(true);
  }

  private change({ id: which, later, timeless }: Turn['changes'][number]): void {
    const before = this.rows.get(which);
    this.clock += later;
    this.value += 1;
    // One that was not purged may have the time of its import: an older one would say nothing.
    const isThere = this.warehouse.values[which] !== undefined;
    const isTimeless = before === undefined ? timeless || isThere : before.at === null;
    this.rows.set(which, { value: this.value, at: isTimeless ? null : this.clock });
  }

  private async write(): Promise<void> {
    await client.query('TRUNCATE users');
    for (const [each, { value, at }] of this.rows)
      await client.query('INSERT INTO users (id, value, updated_at) VALUES ($1, $2, $3)', [
        each,
        value,
        at === null ? null : this.given.column.written(at),
      ]);
  }

  private async import(incremental: boolean, order: string, size: number) {
    this.run += 1;
    const ledger = new FakeLedger({ incremental, startingCursor: this.cursor });
    const { run, epoch, ledger: recorded } = ledger.claim();
    const started = {
      ...run,
      run: `run${String(this.run)}` as RunId,
      startedAt: `2026-06-01T00:00:00.${String(this.run).padStart(6, '0')}Z`,
    };
    const { signal } = new AbortController();
    const { format } = this.given.column;
    const performance = new RunPerformance(
      started,
      {
        source: new DatabaseRecords({
          database: postgresqlDatabase,
          settings,
          sockets: SOCKETS,
          query: {
            kind: 'database',
            query: this.given.query + order,
            columns: { userID: 'id', updatedAt: 'updated_at', updatedAtFormat: format },
          },
          rowsMs: 60_000,
        }),
        inSchema: inSchema(this.given.column),
        checkSource: () => [],
        steps,
        stepsOfKind: ALL_STEPS,
        writer: this.warehouse.writer(epoch),
        ledger: recorded,
        limits: { size, stallMs: 5_000 },
        patience: new Patience(PATIENCE, signal, () => undefined),
        nowMs: () => Date.UTC(2026, 5, 1),
      },
      signal,
    );
    const { purged, cursor } = await performance.perform();
    if (cursor !== null && (this.cursor === null || cursor > this.cursor)) this.cursor = cursor;
    return { purged, sizes: ledger.sizes };
  }
}

it('imports hold what the table holds: no change is missed and nothing is purged that is there', async () => {
  await fc.assert(
    fc.asyncProperty(aCase, async (given) => {
      const world = new World(given);
      await world.begin();
      for (const each of given.turns) await world.turn(each);
    }),
    { numRuns: RUNS, endOnFailure: true, ...SEED },
  );
});
