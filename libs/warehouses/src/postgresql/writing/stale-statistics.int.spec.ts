import { setTimeout } from 'node:timers/promises';
import { sharedOldPostgres } from '@penstock/test-servers';
import type { IdentityWriter, WarehouseWriter } from '../../platform/warehouse-writer';
import { MINE, OPTIONS, PIPELINE } from '../../platform/warehouse-writer.contract';
import { SCHEMA } from '../stage.fixture';
import { type WrittenStage, writtenStage } from './written-stage.fixture';

jest.setTimeout(120_000);

const SEEN = 10_000;
/** Rows, and entries of indexes, that may be read for all that were seen. */
const MOST_READ = 5 * SEEN;

const identities = `
  INSERT INTO ${SCHEMA}._identities (_connection, _pipeline, _record_id, _anonymous, _profile_id)
  SELECT 'c', '${PIPELINE}', 'u' || n, false, gen_random_uuid() FROM generate_series(1, ${SEEN}) AS n`;
const seenBy = (run: string, count: number) => `
  INSERT INTO ${SCHEMA}._seen (run, record_id, outcome)
  SELECT '${run}', 'u' || n, 'Merged' FROM generate_series(1, ${count}) AS n`;

let old: string | undefined;
let written: WrittenStage;
let writers: WarehouseWriter;
let writer: IdentityWriter;

beforeAll(async () => {
  old = await sharedOldPostgres();
});
afterEach(async () => {
  await writers.close();
  await written.close();
});

/** What is there while no statistics know the run. */
const openOn = async (server: string | undefined): Promise<void> => {
  written = await writtenStage(MINE, server);
  writers = await written.open(OPTIONS);
  writer = await writers.begin({ role: 'run run1', epoch: 1 });
  await written.stage.run(
    `ALTER TABLE ${SCHEMA}._seen SET (autovacuum_enabled = false)`,
    seenBy('run0', SEEN / 2),
    `ANALYZE ${SCHEMA}._seen`,
    identities,
    seenBy('run1', SEEN),
  );
};

/** Rows of `_seen`, and entries of its indexes, that were read. */
const countRead = async (): Promise<number> => {
  // A transaction sees what was there at its first look, unless it forgets that.
  await written.stage.run('SELECT pg_stat_clear_snapshot()');
  const [row] = await written.stage.rows(
    `SELECT (sum(idx_tup_read) + sum(seq_tup_read))::int AS n
     FROM pg_stat_user_tables JOIN pg_stat_user_indexes USING (relid)
     WHERE relid = '${SCHEMA}._seen'::regclass`,
  );
  return (row as { n: number }).n;
};

/** What the work reads at least {@link SEEN} of. */
const readBy = async (work: () => Promise<void>): Promise<number> => {
  const before = await countRead();
  await work();
  // What a session has read is known when it has ended.
  await writers.close();
  writers = await written.open(OPTIONS);
  for (let tries = 0; (await countRead()) < before + SEEN && tries < 200; tries += 1)
    await setTimeout(50);
  return (await countRead()) - before;
};

const isFoundForThisMachine = process.platform === 'linux' && process.arch === 'x64';
const SERVERS = [
  { on: 'the present PostgreSQL', server: () => undefined },
  ...(isFoundForThisMachine ? [{ on: 'PostgreSQL 13', server: () => old }] : []),
];

describe.each(SERVERS)('on $on', ({ server }) => {
  beforeEach(() => openOn(server()));

  it('purges by the keys of what was seen', async () => {
    const read = await readBy(async () => {
      expect(await writer.purge(PIPELINE, 'run1')).toBe(0);
    });
    expect(read).toBeGreaterThanOrEqual(SEEN);
    expect(read).toBeLessThan(MOST_READ);
  });

  it('looks up what was seen by its keys', async () => {
    const read = await readBy(async () => {
      for (let from = 0; from < SEEN; from += 100) {
        const ids = Array.from({ length: 100 }, (_, at) => `u${from + at + 1}`);
        expect((await writer.seen('run1', ids)).size).toBe(100);
      }
    });
    expect(read).toBeGreaterThanOrEqual(SEEN);
    expect(read).toBeLessThan(MOST_READ);
  });
});
