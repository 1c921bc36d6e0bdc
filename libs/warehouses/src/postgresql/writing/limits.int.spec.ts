import { setTimeout } from 'node:timers/promises';
import { MINE, OPTIONS, PIPELINE } from '../../platform/warehouse-writer.contract';
import type { IdentityWriter, WarehouseWriter } from '../../platform/warehouse-writer';
import { SCHEMA } from '../stage.fixture';
import { type WrittenStage, writtenStage } from './written-stage.fixture';

jest.setTimeout(60_000);

let written: WrittenStage;
let writers: WarehouseWriter;
let writer: IdentityWriter;

beforeEach(async () => {
  written = await writtenStage(MINE);
  writers = await written.open(OPTIONS);
  writer = await writers.begin({ role: 'run run1', epoch: 1 });
});
afterEach(async () => {
  await writers.close();
  await written.close();
});

const count = async (table: string): Promise<number> => {
  const [row] = await written.stage.rows(`SELECT count(*)::int AS n FROM ${SCHEMA}.${table}`);
  return (row as { n: number }).n;
};

const identities = (upTo: number) => `
  INSERT INTO ${SCHEMA}._identities (_connection, _pipeline, _record_id, _anonymous, _profile_id)
  SELECT 'c', '${PIPELINE}', 'u' || n, false, gen_random_uuid() FROM generate_series(1, ${upTo}) AS n`;
const seen = (upTo: number) => `
  INSERT INTO ${SCHEMA}._seen (run, record_id, outcome)
  SELECT 'run1', 'u' || n, 'Merged' FROM generate_series(1, ${upTo}) AS n`;

it.each([
  [1, []],
  [4_999, []],
  [5_000, [4_999]],
  [5_001, [4_999]],
  [10_001, [4_999, 9_999]],
])('purges all of %i identities but one, and tells of %j on the way', async (many, expected) => {
  await written.stage.run(identities(many), seen(1));
  const told: number[] = [];
  const purged = await writer.purge(PIPELINE, 'run1', (until) => {
    told.push(until);
    return Promise.resolve();
  });
  expect([purged, told]).toEqual([many - 1, expected]);
  expect(await count('_identities')).toBe(1);
  expect(await count(`_dirty WHERE change = 'removed' AND profile_id IS NOT NULL`)).toBe(many - 1);
});

it('ends a purge on the way when what it tells is refused', async () => {
  await written.stage.run(identities(10_001), seen(1));
  const onPiece = (): Promise<never> => Promise.reject(new Error('the run has ended'));
  await expect(writer.purge(PIPELINE, 'run1', onPiece)).rejects.toThrow('the run has ended');
  expect(await count('_identities')).toBe(10_001 - 4_999);
});

it('counts what was purged, although it was cut off in between', async () => {
  const many = 10_001;
  await written.stage.run(
    identities(many),
    seen(1),
    `CREATE FUNCTION ${SCHEMA}.fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE ''broken''; END'`,
    // One of the last in the order of texts.
    `CREATE TRIGGER fails BEFORE DELETE ON ${SCHEMA}._identities FOR EACH ROW
       WHEN (OLD._record_id = 'u9999') EXECUTE FUNCTION ${SCHEMA}.fail()`,
  );
  await expect(writer.purge(PIPELINE, 'run1')).rejects.toMatchObject({ message: 'broken' });
  const left = await count('_identities');
  expect([left > 1, left < many]).toEqual([true, true]);
  await written.stage.run(`DROP TRIGGER fails ON ${SCHEMA}._identities`);
  const successor = await writers.begin({ role: 'run run1', epoch: 2 });
  expect(await successor.purge(PIPELINE, 'run1')).toBe(many - 1);
  expect(await successor.purge(PIPELINE, 'run1')).toBe(many - 1);
  await successor.forget('run1');
  expect(await count('_seen')).toBe(0);
});

it('keeps anonymous identities out of a purge', async () => {
  await written.stage.run(identities(3), seen(1));
  await written.stage.run(`UPDATE ${SCHEMA}._identities SET _anonymous = true`);
  expect(await writer.purge(PIPELINE, 'run1')).toBe(0);
});

it.each([9_999, 10_000, 10_001])('forgets all of %i record ids', async (many) => {
  await written.stage.run(seen(many));
  await writer.forget('run1');
  expect(await count('_seen')).toBe(0);
});

it('reads what a run has settled about the most and longest record ids at once', async () => {
  const ids = Array.from({ length: 5_000 }, (_, n) => String(n).padEnd(1_024, 'x'));
  await written.stage.run(
    `INSERT INTO ${SCHEMA}._seen (run, record_id, outcome)
     SELECT 'run1', rpad(n::text, 1024, 'x'), 'InputValidation' FROM generate_series(0, 4999) AS n`,
  );
  expect((await writer.seen('run1', ids)).size).toBe(5_000);
});

it('uses two connections at most, and the others wait', async () => {
  await written.stage.run('BEGIN', `LOCK TABLE ${SCHEMA}._fences IN ACCESS EXCLUSIVE MODE`);
  const asked = Array.from({ length: 5 }, () => writer.seen('run1', ['u']));
  const sessions = async () => {
    // A transaction sees what was there at its first look, unless it forgets that.
    await written.stage.run('SELECT pg_stat_clear_snapshot()');
    return written.stage.rows(
      `SELECT pid FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'penstock-warehouse'`,
    );
  };
  for (let tries = 0; (await sessions()).length < 2 && tries < 1_000; tries += 1)
    await setTimeout(10);
  await setTimeout(200);
  expect(await sessions()).toHaveLength(2);
  await written.stage.run('COMMIT');
  expect(await Promise.all(asked)).toHaveLength(5);
});

it('forgets a fence that was begun more than 30 days ago, and no younger one', async () => {
  await written.stage.run(
    `INSERT INTO ${SCHEMA}._fences (role, epoch, begun_at)
     VALUES ('old', 1, now() - interval '30 days 1 minute'), ('young', 1, now() - interval '29 days 23 hours')`,
  );
  await writers.begin({ role: 'events', epoch: 1 });
  const roles = await written.stage.rows(`SELECT role FROM ${SCHEMA}._fences ORDER BY 1`);
  expect(roles).toEqual(['events', 'run run1', 'young'].map((role) => ({ role })));
});
