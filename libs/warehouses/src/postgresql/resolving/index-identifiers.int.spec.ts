import { parseFilter } from '@penstock/filters';
import { parseJson } from '@penstock/schema';
import { imported } from '../../platform/warehouse-writer.contract';
import { profileColumns } from '../columns/profile-columns';
import { filterSql } from '../filtering/filter-sql';
import { SCHEMA } from '../stage.fixture';
import { PROFILES, ResolvingStage, resolveAll, rules } from './resolving-stage.fixture';

jest.setTimeout(60_000);

let stage: ResolvingStage;

beforeAll(async () => {
  stage = await ResolvingStage.open();
  // There are too few profiles for an index to be worth it.
  await stage.written.stage.run('SET enable_seqscan = off');
});
beforeEach(() => stage.empty());
afterAll(() => stage.close());

const VALUES: Readonly<Record<string, string>> = {
  email: 'ada@example.com',
  'contact.code': '9007199254740993',
  address: '2001:db8::1',
};

/** How the server looks for profiles with this value of a property. */
const planOf = async (property: string, operator = 'is'): Promise<string> => {
  const { schema } = PROFILES;
  const condition = { property, operator, values: [VALUES[property]] };
  const filter = parseJson(JSON.stringify({ logical: 'and', conditions: [condition] }));
  const where = filterSql(
    parseFilter(filter, schema, 'DestinationUser'),
    schema,
    profileColumns(schema),
  );
  const rows = await stage.written.stage.rows(
    `EXPLAIN SELECT FROM ${SCHEMA}._profiles WHERE ${where}`,
  );
  return JSON.stringify(rows);
};

/** Indexes beside those that every warehouse has. */
const indexes = async (): Promise<number> => {
  const rows = await stage.written.stage.rows(
    `SELECT FROM pg_indexes WHERE schemaname = '${SCHEMA}' AND tablename = '_profiles'
        AND indexname !~ '_updated_at|pkey'`,
  );
  return rows.length;
};

const resolveBy = async (...identifiers: readonly string[]): Promise<void> => {
  await resolveAll(await stage.resolver(rules(identifiers)));
};

it('finds profiles by each identifier through an index, also among texts of any length', async () => {
  await stage.write('c1', [imported('u1', 1, { email: 'l'.repeat(5_000) })]);
  const identifiers = Object.keys(VALUES);
  for (const property of identifiers) expect(await planOf(property)).not.toMatch(/Index/);
  await resolveBy(...identifiers);
  expect(await indexes()).toBe(3);
  for (const property of identifiers)
    for (const operator of ['is', 'is one of'])
      expect(await planOf(property, operator)).toMatch(/Index/);
});

it('follows the identifiers, and makes nothing twice', async () => {
  await resolveBy('email', 'phone');
  await resolveBy('phone', 'email');
  expect(await indexes()).toBe(2);
  await resolveBy('contact.code');
  expect(await indexes()).toBe(1);
  expect(await planOf('contact.code')).toMatch(/Index/);
  await resolveBy();
  expect(await indexes()).toBe(0);
});

it('leaves indexes of somebody else alone, and follows a property that is renamed', async () => {
  const { stage: owner } = stage.written;
  await owner.run(`CREATE INDEX mine ON ${SCHEMA}._profiles (email)`);
  await resolveBy('email');
  expect(await indexes()).toBe(2);
  await resolveBy();
  expect(await indexes()).toBe(1);
  await owner.run(`DROP INDEX ${SCHEMA}.mine`);
  const swap = (one: string, other: string) =>
    owner.run(`ALTER TABLE ${SCHEMA}._profiles RENAME ${one} TO ${other}`);
  await resolveBy('email', 'phone');
  await swap('email', 'between');
  await swap('phone', 'email');
  await swap('between', 'phone');
  await resolveBy('email');
  expect(await indexes()).toBe(1);
  await resolveBy();
});

it('waits for no reader, and resolves without an index who may not make one', async () => {
  const { stage: owner, loader } = stage.written;
  await owner.run('BEGIN', `LOCK TABLE ${SCHEMA}._profiles IN ACCESS SHARE MODE`);
  await resolveBy('email');
  await resolveBy();
  await owner.run('COMMIT');
  expect(await indexes()).toBe(1);
  await owner.run(`ALTER TABLE ${SCHEMA}._profiles OWNER TO CURRENT_USER`);
  await owner.run(`GRANT ALL ON ${SCHEMA}._profiles TO ${loader}`);
  await stage.write('c1', [imported('u1', 1, { email: 'ada@example.com' })]);
  await resolveBy('phone');
  expect(await stage.profiles()).toHaveLength(1);
  expect(await indexes()).toBe(1);
});
