import { newRecord, type RecordValue } from '@penstock/schema';
import type { RowMerger } from '../database/row-merger';
import { mergeContract } from '../merging/merge.contract';
import { call, readAll, settingsOf } from '../reading.fixture';
import { PostgresqlStand } from './postgresql-stand.fixture';

jest.setTimeout(60_000);

let stand: PostgresqlStand;

beforeAll(async () => {
  stand = await PostgresqlStand.open();
});
afterAll(() => stand.close());

mergeContract(() => stand);

const row = (id: number, name: string): RecordValue => Object.assign(newRecord(), { id, name });

/** A table `id`, `name` with something more, and what merges into it. */
const mergerInto = async (name: string, ...more: readonly string[]): Promise<RowMerger> => {
  await stand.run(`CREATE TABLE ${name} (id int PRIMARY KEY, name text)`, ...more);
  const merge = { table: name, key: 'id', properties: ['id', 'name'] };
  return stand.database.merger(merge, settingsOf(stand.settings()), call());
};

it('a row that breaks a constraint of the end of the transaction is refused by itself', async () => {
  const merger = await mergerInto(
    'deferred',
    'ALTER TABLE deferred ADD UNIQUE (name) DEFERRABLE INITIALLY DEFERRED',
    "INSERT INTO deferred VALUES (100, 'taken')",
  );
  const refused = await merger.merge([row(1, 'a'), row(2, 'taken'), row(3, 'c')]);
  expect(refused).toMatchObject([{ row: 1, reason: expect.stringMatching(/unique/) as string }]);
  expect(await merger.merge([row(1, 'a'), row(3, 'c')])).toEqual([]);
  await merger.close();
});

it('a row that a policy does not let in is refused by itself', async () => {
  const merger = await mergerInto(
    'guarded',
    'ALTER TABLE guarded ENABLE ROW LEVEL SECURITY',
    "CREATE POLICY all_but ON guarded USING (true) WITH CHECK (name <> 'kept out')",
  );
  const refused = await merger.merge([row(1, 'a'), row(2, 'kept out')]);
  expect(refused).toMatchObject([{ row: 1, reason: expect.stringMatching(/policy/) as string }]);
  await merger.close();
});

it('a row that a trigger leaves out is refused by itself, and not counted as written', async () => {
  const merger = await mergerInto(
    'triggered',
    `CREATE FUNCTION skipped() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN IF NEW.name = 'dropped' THEN RETURN NULL; END IF; RETURN NEW; END $$`,
    'CREATE TRIGGER skips BEFORE INSERT ON triggered FOR EACH ROW EXECUTE FUNCTION skipped()',
  );
  const refused = await merger.merge([row(1, 'a'), row(2, 'dropped'), row(3, 'c')]);
  expect(refused).toMatchObject([{ row: 1, reason: expect.stringMatching(/trigger/) as string }]);
  expect(await merger.merge([row(1, 'a'), row(3, 'c')])).toEqual([]);
  await merger.close();
});

it('columns of domains and single bits are written as what they are based on', async () => {
  await stand.run(
    "CREATE DOMAIN short AS varchar(3) CHECK (VALUE <> 'bad')",
    'CREATE DOMAIN shorter AS short',
    'CREATE TABLE typed (id int PRIMARY KEY, name shorter, flag bit(1))',
  );
  const merge = { table: 'typed', key: 'id', properties: ['id', 'name', 'flag'] };
  const merger = await stand.database.merger(merge, settingsOf(stand.settings()), call());
  const typed = (id: number, name: string, flag: boolean): RecordValue =>
    Object.assign(row(id, name), { flag });
  const rows = [typed(1, 'abc', true), typed(2, 'abcd', true), typed(3, 'bad', false)];
  const reasons = (await merger.merge(rows)).map(({ row: at, reason }) => [at, reason]);
  expect(reasons).toEqual([
    [1, expect.stringMatching(/3|too long/)],
    [2, expect.stringMatching(/constraint/)],
  ]);
  expect(await merger.merge([typed(1, 'abc', true), typed(3, 'no', false)])).toEqual([]);
  const shown = 'SELECT id, name, flag FROM typed ORDER BY id';
  const found = await readAll(stand.database, settingsOf(stand.settings()), shown);
  expect(found.records).toEqual([
    '{"id":1,"name":"abc","flag":true}',
    '{"id":3,"name":"no","flag":false}',
  ]);
  await merger.close();
});

it('a right that is gone is a fault, and none of the rows', async () => {
  const merger = await mergerInto('forbidden');
  const { username } = stand.settings();
  await stand.revoke(`REVOKE ALL ON forbidden FROM ${username}`);
  await expect(merger.merge([row(1, 'a'), row(2, 'b')])).rejects.toMatchObject({
    kind: 'Refused',
    message: 'permission denied for table forbidden',
  });
  await merger.close();
});

it('a row that is locked longer than the server waits can be merged again', async () => {
  const { username } = stand.settings();
  await stand.run(`ALTER ROLE ${username} SET statement_timeout = 300`);
  const merger = await mergerInto('locked', "INSERT INTO locked VALUES (1, 'before')");
  await stand.run('BEGIN', 'SELECT FROM locked WHERE id = 1 FOR UPDATE');
  try {
    await expect(merger.merge([row(1, 'a'), row(2, 'b')])).rejects.toMatchObject({
      kind: 'Unreachable',
    });
  } finally {
    await stand.run('ROLLBACK', `ALTER ROLE ${username} RESET statement_timeout`);
    await merger.close();
  }
});

it('who has locked the rows and is still wanted then is the first one, whoever else merges them', async () => {
  const slow = await mergerInto('ordered');
  const merge = { table: 'ordered', key: 'id', properties: ['id', 'name'] };
  const next = await stand.database.merger(merge, settingsOf(stand.settings()), call());
  const ends: string[] = [];
  let following: Promise<unknown> | undefined;
  await slow.merge([row(1, 'older')], async () => {
    following = next.merge([row(1, 'newer')]).then(() => ends.push('next'));
    while ((await stand.sessionsWith('INSERT INTO "crm"."ordered"')) === 0);
    ends.push('slow');
  });
  await following;
  expect(ends).toEqual(['slow', 'next']);
  await slow.close();
  await next.close();
});
