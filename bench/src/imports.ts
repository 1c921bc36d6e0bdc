import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { FILE_FORMATS, writableFile } from '@penstock/files';
import { newRecord, parseJson, parseSchema, type RecordValue } from '@penstock/schema';
import { checkedBy } from '@penstock/settings';
import { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { Api } from './api';
import {
  changedRowsOf,
  createDatabaseSource,
  createImport,
  firstWorkspace,
  IN,
  makeUsers,
  MAPPING,
  OUT,
  USER_COLUMNS,
} from './import-source';
import { API_KEY, type Measured, startDistributed } from './installations';
import { measureRun } from './measure-run';
import { cpuMicrosEach, peakMiB, proportionalMiB, usage } from './process-usage';
import { cells, heading, option, print, textOption } from './table';

const ROWS = option('rows', 100_000);
const TIMES = option('times', 1);
const ONLY = textOption('only')?.split(',');

const PATHS = { inPaths: ['email', 'first_name', 'last_name', 'balance'], outPaths: OUT };

const TRANSFORMATIONS: Readonly<Record<string, object>> = {
  mapping: MAPPING,
  JavaScript: {
    function: {
      ...{ language: 'JavaScript', preserveJSON: false, ...PATHS },
      source: `const transform = (user) => ({
        email: user.email.toLowerCase(), first_name: user.first_name, last_name: user.last_name });`,
    },
  },
  Python: {
    function: {
      ...{ language: 'Python', preserveJSON: false, ...PATHS },
      source: `def transform(user):
  return {"email": user["email"].lower(), "first_name": user["first_name"], "last_name": user["last_name"]}`,
    },
  },
  parquet: MAPPING,
};

const FILE = 'users.parquet';

const OF_FILE = { format: 'parquet', path: FILE };

/** Rows that are written to the file at a time. */
const AT_A_TIME = 1_000;

const rowOf = (n: number): RecordValue =>
  Object.assign(newRecord(), {
    ...{ id: n, email: `User${String(n)}@Example.COM`, first_name: `First ${String(n % 997)}` },
    ...{ last_name: `Last, of ${String(n)}`, age: n % 97, balance: `${String(n)}.5` },
    ...{ subscribed: n % 2 === 0, updated_at: new Date(1_700_000_000_000 + n).toISOString() },
  });

async function* rowsOfFile(): AsyncGenerator<readonly RecordValue[]> {
  for (let from = 0; from < ROWS; from += AT_A_TIME)
    yield await Promise.resolve(
      Array.from({ length: Math.min(AT_A_TIME, ROWS - from) }, (_, at) => rowOf(from + at + 1)),
    );
}

/** Writes the rows of the table to a file of Parquet. */
const writeFile = async (root: string): Promise<void> => {
  const format = FILE_FORMATS.find(({ code }) => code === 'parquet');
  if (format === undefined) throw new Error('no format');
  const properties = IN.map(([name, type]) => ({ name, type }));
  const file = writableFile({
    ...{ format, compression: '', packed: { name: FILE, at: new Date() } },
    schema: parseSchema(parseJson(JSON.stringify({ kind: 'object', properties }))),
    settings: checkedBy(format.settings)(parseJson('{}')),
  });
  await pipeline(file.bytes(rowsOfFile()), createWriteStream(join(root, FILE)));
};

/** Properties that a transformation reads, beside the id and the time. */
const readBy = (name: string): readonly string[] =>
  TRANSFORMATIONS[name] === MAPPING ? ['email', 'first_name', 'last_name'] : PATHS.inPaths;

/** Copies the rows out of the table, and into another one with a key. @returns rows per second. */
const measureCopy = async (url: string): Promise<number> => {
  const [source, target] = [url, url].map((connectionString) => new Client({ connectionString }));
  if (source === undefined || target === undefined) throw new Error('no clients');
  await source.connect();
  await target.connect();
  await target.query(`CREATE TABLE crm.copied (${USER_COLUMNS})`);
  const startMs = performance.now();
  await pipeline(
    source.query(copyTo('COPY crm.users TO STDOUT')),
    target.query(copyFrom('COPY crm.copied FROM STDIN')),
  );
  const rate = (ROWS * 1_000) / (performance.now() - startMs);
  await source.end();
  await target.end();
  return rate;
};

const measureOn = async ({ port, databaseUrl, processes }: Measured): Promise<void> => {
  await makeUsers(databaseUrl, ROWS);
  const address = `http://127.0.0.1:${String(port)}`;
  const api = new Api(address, API_KEY, await firstWorkspace(address, API_KEY));
  // What one import has written is not resolved beside the next.
  const settings = { runOnBatchImport: false, eventDelay: null, identifiers: [] };
  await api.put('/v1/identity-resolution/settings', settings);
  const connection = await createDatabaseSource(api, databaseUrl);
  const { id: files } = await api.post<{ id: string }>('/v1/connections', {
    ...{ name: 'Files', role: 'Source', connector: 'filesystem', settings: {} },
  });
  const executor = processes.get('run-executor') ?? 0;
  print(
    heading(
      'import by',
      'rows/s',
      'of COPY',
      'first progress ms',
      'executor peak MiB',
      'with sandbox MiB',
      'CPU µs a row',
    ),
  );
  const copied = await measureCopy(databaseUrl);
  print(cells('COPY', copied, '1', '', '', '', ''));
  const chosen = Object.entries(TRANSFORMATIONS).filter(([name]) => ONLY?.includes(name) ?? true);
  for (const [name, transformation] of Array.from({ length: TIMES }, () => chosen).flat()) {
    const id = await createImport(api, {
      ...{ name, transformation, reads: readBy(name) },
      ...(name === 'parquet'
        ? { connection: files, from: OF_FILE }
        : { connection, from: changedRowsOf('users') }),
    });
    const before = usage(processes);
    const { rate, firstMs } = await measureRun(api, id, ROWS);
    const micros = cpuMicrosEach(before, usage(processes), ROWS);
    const share = (rate / copied).toFixed(3);
    print(cells(name, rate, share, firstMs, peakMiB(executor), proportionalMiB(executor), micros));
  }
};

/**
 * Measures whole imports of `--rows` (100,000) rows of a table, and of a file, into the warehouse, beside COPY of the same rows.
 * `--only NAME,…` chooses some; `--times N` repeats them, each with a pipeline of its own: the first finds processes that
 * have run nothing yet.
 */
export const measureImports = async (): Promise<void> => {
  const root = await mkdtemp(join(tmpdir(), 'penstock-bench-files-'));
  await writeFile(root);
  const installation = await startDistributed(1, { PENSTOCK_FILES_ROOT: root }, true);
  try {
    await measureOn(installation);
  } finally {
    await installation.stop();
    await rm(root, { recursive: true, force: true });
  }
};
