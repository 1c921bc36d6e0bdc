import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mysqlDatabase, postgresqlDatabase } from '@penstock/databases';
import type {
  ConnectionId,
  ExportPipelineState,
  LiveRun,
  RunId,
  RunView,
} from '@penstock/contracts';
import { type LocalMariadb, startMariadb } from '@penstock/local-mariadb';
import { createConnection } from 'mysql2/promise';
import { Client, type Pool } from 'pg';
import { checkFolds } from './testing/check-folds.fixture';
import { Installation } from './testing/installation.fixture';
import { until } from '@penstock/test-servers';
import {
  columnsOf,
  type PlainProfile,
  plainProfiles,
  profileId,
  StoredProfiles,
  toFile,
  toTable,
  unreachable,
} from './testing/profiles.fixture';

jest.setTimeout(600_000);

const FILTER = JSON.stringify({
  logical: 'and',
  conditions: [{ property: 'first_name', operator: 'is not', values: ['name 3'] }],
});

let installation: Installation;
let profiles: StoredProfiles;
let files: ConnectionId;

beforeEach(async () => {
  installation = await Installation.open();
  profiles = await StoredProfiles.open(installation);
  files = await installation.destination('filesystem', {});
});
afterEach(async () => {
  await checkFolds(installation.pool);
  await installation.close();
});

const EXPORT = { incremental: null };

const request = (pipeline: ExportPipelineState): Promise<RunId> =>
  installation.request(pipeline, EXPORT);

const performed = async (pipeline: ExportPipelineState): Promise<RunView> =>
  installation.ended(await request(pipeline));

/** Cancels a run and waits for its end, which comes long before a lease ends. */
const cancelled = async (run: RunId, pipeline: ExportPipelineState): Promise<RunView> => {
  const live: LiveRun = {
    ...{ run, trigger: 'API', pipelineVersion: 1, incremental: null, cursor: null, slot: null },
    ...{ requestedAt: '2026-06-01T00:00:00.000Z' as never, actor: 'key1' },
    cancelled: { reason: 'Requested' },
  };
  await installation.live(pipeline.id, live);
  return installation.ended(run);
};

const pathOf = (name: string): string => join(installation.folder, name);
const textOf = (name: string): string => readFileSync(pathOf(name), 'utf8');
const unfinished = (): string[] =>
  readdirSync(installation.folder).filter((name) => name.includes('.part'));

/** The filter of the specs, and what it leaves out, computed by themselves. */
const matches = ({ first_name: name }: PlainProfile): boolean => name !== 'name 3';

const cell = (value: string | null): string => {
  const text = value ?? '';
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** In the order of a column, those without it last, equal ones by their ids. */
const ordered = (all: readonly PlainProfile[], by: 'email' | 'first_name'): PlainProfile[] =>
  [...all].sort((one, other) => {
    const [mine, theirs] = [one[by], other[by]];
    const byId = one.id < other.id ? -1 : 1;
    if (mine === theirs) return byId;
    if (mine === null || theirs === null) return mine === null ? 1 : -1;
    return mine < theirs ? -1 : 1;
  });

const csvOf = (all: readonly PlainProfile[]): string =>
  [
    'email,first_name,last_name',
    ...all.map((each) => [each.email, each.first_name, each.last_name].map(cell).join(',')),
  ]
    .map((line) => `${line}\n`)
    .join('');

const FILE_TOTALS = (all: number, left: number, refused = 0) => ({
  passed: [all, all, all - left, 0, 0, all - left - refused],
  failed: [0, 0, left, 0, 0, refused],
});

describe('to a file', () => {
  it('writes the profiles that match, in their order, as they are counted', async () => {
    const all = plainProfiles(1_000);
    await profiles.write(all);
    await installation.start();
    const pipeline = toFile(
      { connection: files, filter: FILTER },
      { path: 'out-${unix}.csv', orderBy: 'first_name' },
    );
    const run = await performed(pipeline);
    const kept = all.filter(matches);
    const seconds = Math.floor(Date.parse(run.startTime) / 1_000);
    expect(textOf(`out-${String(seconds)}.csv`)).toBe(csvOf(ordered(kept, 'first_name')));
    expect(run).toMatchObject({
      ...{ status: 'Succeeded', incremental: null, error: '', progress: null },
      ...{ purged: 0, warnings: [], startingCursor: null },
      ...FILE_TOTALS(1_000, 1_000 - kept.length),
    });
    await until(() => installation.ends.length > 0);
    expect(installation.ends).toMatchObject([{ status: 'Succeeded', cursor: null }]);
    expect(unfinished()).toEqual([]);
  });

  it('has the names of the columns where there are no profiles', async () => {
    await installation.start();
    expect(await performed(toFile({ connection: files }))).toMatchObject({
      ...{ status: 'Succeeded', ...FILE_TOTALS(0, 0) },
    });
    expect(textOf('out.csv')).toBe('email,first_name,last_name\n');
  });

  it.each([
    ['json', '', {}],
    ['parquet', '', {}],
    ['excel', '', { sheet: 'People' }],
    ['csv', 'Zip', {}],
    ['csv', 'Gzip', {}],
  ] as const)('is written as %s, compressed as %j', async (format, compression, more) => {
    await profiles.write(plainProfiles(250));
    await installation.start();
    const file = { format, compression, path: `out.${format}`, ...more };
    const run = await performed(toFile({ connection: files }, file));
    expect(run).toMatchObject({ status: 'Succeeded', ...FILE_TOTALS(250, 0) });
    expect(readFileSync(pathOf(file.path)).length).toBeGreaterThan(1_000);
    if (format === 'json') {
      const found = JSON.parse(textOf(file.path)) as { email: string }[];
      expect(found.map(({ email }) => email)).toEqual(
        ordered(plainProfiles(250), 'email').map(({ email }) => email),
      );
    }
  });

  it('goes on with another worker when one is lost, with the same result', async () => {
    const all = plainProfiles(2_000);
    await profiles.write(all);
    writeFileSync(pathOf('out.csv'), 'as it was');
    const one = await installation.start();
    const pipeline = toFile({ connection: files, filter: FILTER });
    let isHeld = true;
    let reads = 0;
    profiles.beforeRead = async () => {
      reads += 1;
      // One profile, a thousand, then those that are left.
      if (reads > 2) await until(() => !isHeld);
    };
    const run = await request(pipeline);
    await until(async () => ((await installation.run(run)).progress?.passed[0] ?? 0) > 300);
    expect((await installation.run(run)).progress).toMatchObject({ total: 2_000 });
    await one.kill();
    await installation.lapse();
    expect(textOf('out.csv')).toBe('as it was');
    isHeld = false;
    await installation.start();
    const ended = await installation.ended(run);
    const kept = all.filter(matches);
    expect(ended).toMatchObject({
      status: 'Succeeded',
      ...FILE_TOTALS(2_000, 2_000 - kept.length),
    });
    expect(ended.attempt).toBeGreaterThan(1);
    expect(textOf('out.csv')).toBe(csvOf(ordered(kept, 'email')));
  });

  it('is begun anew when the warehouse is lost in between', async () => {
    const all = plainProfiles(1_500);
    await profiles.write(all);
    let reads = 0;
    profiles.beforeRead = () => {
      reads += 1;
      return reads === 2 || reads === 5 ? Promise.reject(unreachable()) : Promise.resolve();
    };
    await installation.start();
    const ended = await performed(toFile({ connection: files }));
    // Lost at the second part, then at the third one, then all three.
    expect(reads).toBe(2 + 3 + 3);
    expect(ended).toMatchObject({ status: 'Succeeded', ...FILE_TOTALS(1_500, 0) });
    expect(textOf('out.csv')).toBe(csvOf(ordered(all, 'email')));
    expect(unfinished()).toEqual([]);
  });

  it('stays as it was when the run is cancelled, and no record counts as written', async () => {
    await profiles.write(plainProfiles(2_000));
    writeFileSync(pathOf('out.csv'), 'as it was');
    await installation.start();
    let isHeld = true;
    let reads = 0;
    profiles.beforeRead = async () => {
      reads += 1;
      // One profile, a thousand, then those that are left.
      if (reads > 2) await until(() => !isHeld);
    };
    const pipeline = toFile({ connection: files });
    const run = await request(pipeline);
    await until(async () => ((await installation.run(run)).progress?.passed[0] ?? 0) > 300);
    const ended = await cancelled(run, pipeline);
    isHeld = false;
    expect(ended).toMatchObject({ status: 'Cancelled', error: 'run was cancelled' });
    const [received = 0] = ended.passed;
    expect(received).toBeGreaterThan(300);
    expect(ended.passed).toEqual([received, received, received, 0, 0, 0]);
    expect(ended.failed).toEqual([0, 0, 0, 0, 0, received]);
    expect(textOf('out.csv')).toBe('as it was');
    await until(() => unfinished().length === 0);
  });

  it('a cancel ends a run whose file nobody has begun, and one whose worker is lost', async () => {
    await profiles.write(plainProfiles(2_000));
    let isHeld = true;
    let reads = 0;
    profiles.beforeRead = async () => {
      reads += 1;
      await until(() => !isHeld);
    };
    const one = await installation.start();
    const pipeline = toFile({ connection: files });
    const begun = await request(pipeline);
    await until(() => reads > 0);
    expect(await cancelled(begun, pipeline)).toMatchObject({
      ...{ status: 'Cancelled', passed: [0, 0, 0, 0, 0, 0], failed: [0, 0, 0, 0, 0, 0] },
    });
    const other = toFile({ connection: files });
    const lost = await request(other);
    await until(() => reads > 1);
    await one.kill();
    await installation.start({ places: 0 });
    expect(await cancelled(lost, other)).toMatchObject({ status: 'Cancelled' });
    isHeld = false;
    await until(() => unfinished().length === 0);
    expect(existsSync(pathOf('out.csv'))).toBe(false);
  });

  it('fails where the folder is not there, and counts nothing that was not read', async () => {
    await profiles.write(plainProfiles(300));
    await installation.start();
    const run = await performed(toFile({ connection: files }, { path: 'nowhere/out.csv' }));
    expect(run).toMatchObject({
      status: 'Failed',
      error: expect.stringMatching(/^file /) as string,
    });
    expect(run.passed[5]).toBe(0);
    expect(existsSync(pathOf('nowhere'))).toBe(false);
  });

  it('fails where profiles no longer have what it exports', async () => {
    installation.profilesVersion = 2;
    await installation.changeProfiles(2, ['first_name']);
    await installation.start();
    const run = await performed(toFile({ connection: files }));
    expect(run).toMatchObject({
      ...{ status: 'Failed', passed: [0, 0, 0, 0, 0, 0] },
      error: expect.stringContaining('email: does not exist') as string,
    });
  });
});

/** What a table has to have: the first profile of each key that the table takes, and what was there before. */
const expectedRows = (
  all: readonly PlainProfile[],
  isRefused: (profile: PlainProfile) => boolean,
) => {
  const taken = new Map<string, PlainProfile>();
  let [noKey, doubled, refused] = [0, 0, 0];
  const kept = all.filter(matches);
  for (const each of kept)
    if (each.email === null) noKey += 1;
    else if (taken.has(each.email)) doubled += 1;
    else taken.set(each.email, each);
  const rows = [...taken.values()].filter((each) => !isRefused(each));
  refused = taken.size - rows.length;
  const [count, left] = [all.length, all.length - kept.length];
  const [made, own] = [kept.length - noKey, kept.length - noKey - doubled];
  return {
    rows: rows.map(({ email, first_name: name }) => [email, name]).sort(),
    totals: {
      passed: [count, count, kept.length, made + noKey, own, own - refused],
      failed: [0, 0, left, 0, noKey + doubled, refused],
    },
  };
};

const doubled = (count: number): PlainProfile[] =>
  plainProfiles(count).map((each, n) =>
    n % 9 === 4
      ? { ...each, email: n % 2 === 0 ? null : `${String((n * 7) % 40)}@example.com` }
      : each,
  );

const isRefused = ({ first_name: name }: PlainProfile): boolean => name === 'name 7';

describe('to a table of PostgreSQL', () => {
  let outSchema: string;
  let crm: ConnectionId;
  let pool: Pool;

  const settingsOf = () => {
    const { hostname: host, port, username, password, pathname } = new URL(installation.url);
    return {
      ...{ host, port: Number(port), username, database: pathname.slice(1), schema: 'crm' },
      ...(password !== '' && { password }),
    };
  };

  beforeEach(async () => {
    ({ pool } = installation);
    await pool.query(`
      CREATE SCHEMA crm;
      CREATE TABLE crm.people (mail text PRIMARY KEY, name text CHECK (name <> 'name 7'), note text DEFAULT 'new');
      INSERT INTO crm.people VALUES ('0@example.com', 'before', 'kept'), ('nobody', 'stays', 'kept')`);
    outSchema = await columnsOf(postgresqlDatabase, settingsOf());
    crm = await installation.destination('postgresql', settingsOf());
  });

  const rows = async (): Promise<unknown[][]> => {
    const { rows: found } = await pool.query<{ mail: string; name: string }>(
      `SELECT mail, name FROM crm.people WHERE mail <> 'nobody' ORDER BY mail COLLATE "C"`,
    );
    return found.map(({ mail, name }) => [mail, name]);
  };

  const table = (members: Partial<ExportPipelineState> = {}): ExportPipelineState =>
    toTable({ connection: crm, filter: FILTER, ...members }, outSchema);

  it('merges rows by their key, and leaves others and other columns alone', async () => {
    const all = doubled(1_000);
    await profiles.write(all);
    await installation.start();
    const run = await performed(table());
    const expected = expectedRows(all, isRefused);
    expect(run).toMatchObject({ status: 'Succeeded', ...expected.totals });
    expect(await rows()).toEqual(expected.rows);
    const { rows: notes } = await pool.query(
      `SELECT mail, name, note FROM crm.people WHERE note = 'kept' ORDER BY mail`,
    );
    expect(notes).toEqual([
      { mail: '0@example.com', name: null, note: 'kept' },
      { mail: 'nobody', name: 'stays', note: 'kept' },
    ]);
    const { errors } = await installation.ask('ListRunErrors', {
      ...{ id: run.id, seen: 0, limit: 10, cursor: '' },
    });
    expect(errors.map(({ step, code }) => [step, code]).sort()).toEqual([
      ['Finalize', 'Refused'],
      ['OutputValidation', 'DuplicateKey'],
      ['OutputValidation', 'InvalidValue'],
    ]);
    expect(JSON.stringify(errors)).not.toMatch(/name 7|example\.com/);
    await until(async () => {
      const { rows: left } = await pool.query('SELECT FROM penstock_runs.export_keys');
      return left.length === 0;
    });
  });

  it('runs again and changes nothing, or what has changed', async () => {
    await profiles.write(doubled(300));
    await installation.start();
    const first = await performed(table());
    const before = await rows();
    expect(await performed(table())).toMatchObject({ passed: first.passed, failed: first.failed });
    expect(await rows()).toEqual(before);
    await pool.query(`UPDATE warehouse._profiles SET first_name = 'other' WHERE email = $1`, [
      before[3]?.[0],
    ]);
    await performed(table());
    expect((await rows())[3]).toEqual([before[3]?.[0], 'other']);
  });

  it('goes on behind what is settled when workers are lost, with the same result', async () => {
    const all = doubled(3_000);
    await profiles.write(all);
    const pipeline = table();
    const start = () => installation.start();
    let workers = [await start(), await start()];
    const run = await request(pipeline);
    for (const share of [500, 1_400]) {
      await until(
        async () => ((await installation.run(run)).progress?.passed[0] ?? share) >= share,
      );
      await Promise.all(workers.map((each) => each.kill()));
      await installation.lapse();
      workers = [await start(), await start()];
    }
    const ended = await installation.ended(run);
    const expected = expectedRows(all, isRefused);
    expect(ended).toMatchObject({ status: 'Succeeded', ...expected.totals });
    expect(await rows()).toEqual(expected.rows);
  });

  it('is ended by a cancel while the table is locked, and writes nothing afterwards', async () => {
    await profiles.write(plainProfiles(400));
    await installation.start();
    const locker = new Client({ connectionString: installation.url });
    await locker.connect();
    await locker.query('BEGIN; LOCK TABLE crm.people IN ACCESS EXCLUSIVE MODE');
    const pipeline = table({ filter: null });
    const run = await request(pipeline);
    await until(async () => (await installation.run(run)).status === 'Running');
    const ended = await cancelled(run, pipeline);
    expect(ended).toMatchObject({ status: 'Cancelled', passed: [0, 0, 0, 0, 0, 0] });
    await locker.query('ROLLBACK');
    await locker.end();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await rows()).toEqual([['0@example.com', 'before']]);
  });

  it.each([
    ['is not there', 'DROP TABLE crm.people', /no such table/],
    [
      'has a column of another type',
      'ALTER TABLE crm.people DROP name; ALTER TABLE crm.people ADD name integer',
      /name: .*kind is string, in the current schema it is int/,
    ],
    ['lacks a column', 'ALTER TABLE crm.people DROP name', /name: .*does not exist/],
  ] as const)('fails when the table %s', async (_, change, error) => {
    await profiles.write(plainProfiles(5));
    await pool.query(change);
    await installation.start();
    const run = await performed(table());
    expect(run).toMatchObject({ status: 'Failed', passed: [0, 0, 0, 0, 0, 0] });
    expect(run.error).toMatch(error);
  });
});

describe('to a table of MariaDB', () => {
  let server: LocalMariadb;

  beforeAll(async () => {
    server = await startMariadb();
  });
  afterAll(() => server.stop());

  it('merges rows by their key', async () => {
    const { port, username, password, database } = server;
    const settings = { host: '127.0.0.1', port, username, password, database, tls: 'disabled' };
    const client = await createConnection({
      ...{ host: '127.0.0.1', port, user: username, password, database, rowsAsArray: true },
    });
    await client.query(
      'CREATE TABLE people (mail varchar(200) COLLATE utf8mb4_bin PRIMARY KEY, name varchar(50)) CHARSET utf8mb4',
    );
    const all = doubled(1_000);
    await profiles.write(all);
    const outSchema = await columnsOf(mysqlDatabase, settings);
    const connection = await installation.destination('mysql', settings);
    await installation.start();
    const run = await performed(toTable({ connection, filter: FILTER }, outSchema));
    const expected = expectedRows(all, () => false);
    expect(run).toMatchObject({ status: 'Succeeded', ...expected.totals });
    const [found] = await client.query('SELECT mail, name FROM people ORDER BY mail');
    await client.end();
    expect(found).toEqual(expected.rows);
  });
});

it('a profile that is there when it begins is exported once, whatever else is written meanwhile', async () => {
  const all = plainProfiles(1_000);
  await profiles.write(all);
  let reads = 0;
  profiles.beforeRead = async () => {
    reads += 1;
    await profiles.write([
      { ...(all[0] as PlainProfile), id: profileId(50_000 + reads), email: `0-${String(reads)}` },
    ]);
    await installation.pool.query(
      `UPDATE warehouse._profiles SET email = email || '!' WHERE first_name = 'name 1'`,
    );
  };
  await installation.start();
  await performed(toFile({ connection: files }));
  expect(textOf('out.csv')).toBe(csvOf(ordered(all, 'email')));
});
