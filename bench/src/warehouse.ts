import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ConnectionId, PipelineId, ProfileSchema, WorkspaceId } from '@penstock/contracts';
import { startEmbeddedPostgres } from '@penstock/embedded-postgres';
import { newRecord, parseJson, parseSchema } from '@penstock/schema';
import {
  createWarehouses,
  type IdentityWriter,
  type ImportedRecord,
  MAX_BATCH,
  settingsOfUrl,
} from '@penstock/warehouses';
import { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { median } from './percentile';
import { cells, heading, option, print } from './table';

const ROWS = option('rows', 200_000);
const ROUNDS = option('rounds', 3);
const WORKSPACE = 'workspace0000001' as WorkspaceId;

const property = (name: string, type: object) => ({ name, type, readOptional: true });

/** Eight columns of the kinds that users have. */
const PROFILES: ProfileSchema = {
  version: 1,
  schema: parseSchema(
    parseJson(
      JSON.stringify({
        kind: 'object',
        properties: [
          property('email', { kind: 'string' }),
          property('first_name', { kind: 'string' }),
          property('last_name', { kind: 'string' }),
          property('age', { kind: 'int', bitSize: 16 }),
          property('balance', { kind: 'decimal', precision: 12, scale: 2 }),
          property('score', { kind: 'float', bitSize: 64 }),
          property('subscribed', { kind: 'boolean' }),
          property('signed_up', { kind: 'datetime' }),
        ],
      }),
    ),
  ),
};

const values = (row: number) => ({
  email: `user${row}@example.com`,
  first_name: `First ${row % 997}`,
  last_name: `Last, of ${row}`,
  age: row % 97,
  balance: `${row}.5`,
  score: row / 7,
  subscribed: row % 2 === 0,
  signed_up: '2026-01-01T00:00:00.123456Z',
});

const recordOf = (row: number, updatedAtUs: bigint): ImportedRecord => ({
  kind: 'record',
  recordId: `user-${row}`,
  updatedAtUs,
  tieBreaker: '2026-01-02T00:00:00Z',
  values: Object.assign(newRecord(), values(row)),
});

const batches = function* (): Generator<number[]> {
  for (let row = 0; row < ROWS; row += MAX_BATCH)
    yield Array.from({ length: Math.min(MAX_BATCH, ROWS - row) }, (_, at) => row + at);
};

/** Rows per second. */
const rate = async (work: (rows: number[]) => Promise<unknown>): Promise<number> => {
  const startMs = performance.now();
  for (const rows of batches()) await work(rows);
  return (ROWS * 1_000) / (performance.now() - startMs);
};

/** Copies the same rows into a table with the same columns and their id as the key, a batch at a time. */
const measureCopy = async (client: Client, round: number): Promise<number> => {
  const table = `copied_${round}`;
  await client.query(
    `CREATE TABLE ${table} (id text PRIMARY KEY, email text, first_name text, last_name text, age smallint,
       balance numeric(12,2), score double precision, subscribed boolean, signed_up timestamptz)`,
  );
  return rate((rows) => {
    const lines = rows.map((row) => `user-${row}\t${Object.values(values(row)).join('\t')}\n`);
    const copy = client.query(copyFrom(`COPY ${table} FROM STDIN`));
    return pipeline(Readable.from([Buffer.from(lines.join(''))]), copy);
  });
};

interface Rates {
  readonly copy: number;
  readonly added: number;
  readonly again: number;
  readonly changed: number;
}

/** @returns rows per second of one pipeline: new ones, the same again, and later updates, each in a run. */
const measureWriter = async (
  writer: IdentityWriter,
  round: number,
): Promise<Omit<Rates, 'copy'>> => {
  const pipelineId = `pipeline${String(round).padStart(8, '0')}` as PipelineId;
  const connection = 'connection000001' as ConnectionId;
  const write = (run: string, updatedAtUs: bigint) => {
    let batch = 0;
    return rate((rows) => {
      const updates = rows.map((row) => recordOf(row, updatedAtUs));
      batch += 1;
      return writer.write({
        ...{ pipeline: pipelineId, connection, updates },
        run: { id: `${run} ${round}`, batch, settled: new Map() },
      });
    });
  };
  const added = await write('first', 1_700_000_000_000_000n);
  return {
    added,
    again: await write('first', 1_700_000_000_000_000n),
    changed: await write('second', 1_700_000_000_000_001n),
  };
};

const measureOn = async (url: string): Promise<void> => {
  const platform = createWarehouses({ allow: ['127.0.0.0/8'] }).get('PostgreSQL');
  if (platform === undefined) throw new Error('no PostgreSQL');
  const overTcp = new URL(url);
  overTcp.search = '';
  const settings = settingsOfUrl(overTcp.href);
  const warehouse = await platform.connect(settings, AbortSignal.timeout(60_000));
  await warehouse.initialise(WORKSPACE);
  await warehouse.repair(WORKSPACE, PROFILES);
  await warehouse.close();
  const signal = new AbortController().signal;
  const options = { workspace: WORKSPACE, profiles: PROFILES, keyedHash: String };
  const writers = await platform.openWriter(settings, options, signal);
  const writer = await writers.begin({ role: 'run bench', epoch: 1 });
  const client = new Client({ connectionString: url });
  await client.connect();
  const rounds: Rates[] = [];
  for (let round = 0; round < ROUNDS; round += 1)
    rounds.push({
      copy: await measureCopy(client, round),
      ...(await measureWriter(writer, round)),
    });
  await client.end();
  await writers.close();
  const of = (name: keyof Rates): number => median(rounds.map((each) => each[name]));
  print(heading('rows of 8 columns', 'rows/s', 'of COPY'));
  print(cells('COPY into a table with a key', of('copy'), 1));
  print(cells('identities that are new', of('added'), of('added') / of('copy')));
  print(cells('the same again', of('again'), of('again') / of('copy')));
  print(cells('later updates of them', of('changed'), of('changed') / of('copy')));
};

/** Measures what writes identities beside COPY of the same rows into a plain table, in turns on one server. */
export const measureWarehouse = async (): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'penstock-bench-'));
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data') });
  try {
    await measureOn(postgres.url);
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
};
