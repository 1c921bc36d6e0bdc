import { FIRST_PROFILE_SCHEMA, type WorkspaceId } from '@penstock/contracts';
import { batchOf, imported, OPTIONS } from '../../platform/warehouse-writer.contract';
import { profileColumns } from '../columns/profile-columns';
import { snowflakeOfSpecs, SnowflakeStage, writtenStage } from '../stage.fixture';
import { META_TABLE, tablesOf } from './tables';

jest.setTimeout(240_000);

const MINE = 'workspace0000001' as WorkspaceId;
const TABLES = [META_TABLE, ...tablesOf(profileColumns(FIRST_PROFILE_SCHEMA.schema))];

const server = snowflakeOfSpecs();
let stage: SnowflakeStage;

beforeEach(async () => {
  stage = await SnowflakeStage.open(server());
  await stage.initialise(MINE);
});
afterEach(() => stage.close());

const repair = (record?: (made: readonly string[]) => Promise<void>): Promise<readonly string[]> =>
  stage.as((warehouse) => warehouse.repair(MINE, FIRST_PROFILE_SCHEMA, record));

it('makes each object anew that was dropped, and nothing else', async () => {
  const untouched = async () => expect(await repair()).toEqual([]);
  await untouched();
  for (const { name, view } of TABLES) {
    await stage.rows(`DROP TABLE ${stage.at(name)}`);
    const made = await repair();
    expect([...made].sort()).toEqual(
      [name, ...(name === '_META' ? ['marker'] : []), ...(view === undefined ? [] : [view])].sort(),
    );
    if (view === undefined) continue;
    await stage.rows(`DROP VIEW ${stage.at(view)}`);
    expect(await repair()).toEqual([view]);
  }
  await untouched();
});

it('makes everything anew, and tells it before anything is changed', async () => {
  for (const { name, view } of TABLES) {
    if (view !== undefined) await stage.rows(`DROP VIEW ${stage.at(view)}`);
    await stage.rows(`DROP TABLE ${stage.at(name)}`);
  }
  const refused = new Error('is not recorded');
  const recorded: (readonly string[])[] = [];
  await expect(repair(() => Promise.reject(refused))).rejects.toMatchObject({
    kind: 'unreachable',
  });
  const made = await repair((names) => {
    recorded.push(names);
    return Promise.resolve();
  });
  expect(made).toHaveLength(TABLES.length + 4);
  expect(recorded).toEqual([made]);
  expect(await repair()).toEqual([]);
});

it('makes columns and keys that are missing, and views that show something else', async () => {
  const [dirty, seen] = [stage.at('_DIRTY'), stage.at('_SEEN')];
  await stage.rows(
    `INSERT INTO ${dirty} ("IDENTITY", "SINCE", "CHANGE") SELECT 1, CURRENT_TIMESTAMP(), 'added'`,
  );
  for (const column of ['SINCE', 'CHANGE', 'PROFILE_ID'])
    await stage.rows(`ALTER TABLE ${dirty} DROP COLUMN "${column}"`);
  await stage.rows(`ALTER TABLE ${seen} DROP COLUMN "RECORD_ID"`);
  await stage.rows(`CREATE OR REPLACE VIEW ${stage.at('EVENTS')} AS SELECT 1 AS X`);
  await stage.rows(
    `CREATE OR REPLACE TABLE ${stage.at('_MOVING')} ("CONNECTION" VARCHAR NOT NULL, "ANONYMOUS" BOOLEAN NOT NULL, "RECORD_ID" VARCHAR NOT NULL)`,
  );
  expect([...(await repair())].sort()).toEqual([
    'EVENTS',
    '_DIRTY.CHANGE',
    '_DIRTY.PROFILE_ID',
    '_DIRTY.SINCE',
    '_MOVING (CONNECTION, ANONYMOUS, RECORD_ID)',
    '_SEEN.RECORD_ID',
  ]);
  expect(await repair()).toEqual([]);
  const rows = await stage.rows(`SELECT "CHANGE", "SINCE" IS NOT NULL, "PROFILE_ID" FROM ${dirty}`);
  expect(rows).toEqual([['changed', '1', null]]);
});

it('names a column of another type, one that cannot be made up, and what has the name of a table', async () => {
  const fails = (message: RegExp) =>
    expect(repair()).rejects.toMatchObject({
      kind: 'unusable',
      message: expect.stringMatching(message) as string,
    });
  const matches = stage.at('_MATCHES');
  await stage.rows(`INSERT INTO ${matches} VALUES ('p', 'e', 'v')`);
  await stage.rows(`ALTER TABLE ${matches} DROP COLUMN "VALUE"`);
  await fails(/^column _MATCHES\.VALUE is missing and cannot be made up/);
  await stage.rows(`ALTER TABLE ${matches} ADD COLUMN "VALUE" NUMBER(9,0)`);
  await fails(/^column _MATCHES\.VALUE is of type NUMBER\(9,0\) and must be VARCHAR\(16777216\)/);
  await stage.rows(`DROP TABLE ${matches}`);
  await stage.rows(`CREATE VIEW ${matches} AS SELECT 1 AS X`);
  await fails(/^_MATCHES is not a table/);
  await stage.rows(`DROP VIEW ${matches}`);
  await stage.rows(`DROP VIEW ${stage.at('PROFILES')}`);
  await stage.rows(`CREATE TABLE ${stage.at('PROFILES')} ("X" VARCHAR)`);
  await fails(/^PROFILES is not a view/);
});

it('touches nothing of another workspace', async () => {
  await stage.rows(`DROP TABLE ${stage.at('_SEEN')}`);
  const other = 'workspace0000002' as WorkspaceId;
  await expect(
    stage.as((warehouse) => warehouse.repair(other, FIRST_PROFILE_SCHEMA)),
  ).rejects.toMatchObject({ kind: 'foreign' });
  expect(await repair()).toEqual(['_SEEN']);
});

it('drops staging tables that were left over an hour ago, and no others', async () => {
  const [old, young] = ['_STAGE_1000_0123456789ABCDEF', '_STAGE_99999999999_0123456789ABCDEF'];
  for (const name of [old, young]) await stage.rows(`CREATE TABLE ${stage.at(name)} ("X" VARCHAR)`);
  expect(await repair()).toEqual([old]);
  const writer = await stage.writer(OPTIONS);
  expect(await writer.dropLeftOvers()).toEqual([]);
  await writer.close();
});

it('reduces rows that have a key in common', async () => {
  await stage.close();
  const written = await writtenStage(server(), MINE);
  ({ stage } = written);
  const writer = await written.open(OPTIONS);
  const identities = await writer.begin({ role: 'events', epoch: 1 });
  await identities.write(batchOf([imported('u', 5, { email: 'old', last_name: 'X' })]));
  await identities.write(batchOf([imported('v', 6, { email: 'new' })]));
  await writer.close();
  await stage.rows(`UPDATE ${stage.at('_IDENTITIES')} SET "_RECORD_ID" = 'u'`);
  await stage.rows(
    `INSERT INTO ${stage.at('_MATCHES')} VALUES ('p', 'e', 'v'), ('p', 'e', 'v'), ('p', 'f', 'v')`,
  );
  await stage.rows(
    `INSERT INTO ${stage.at('_ERASING')} ("PLACE", "ERASURE", "CONNECTION", "ANONYMOUS", "RECORD_ID") VALUES (7, 'e', 'c', TRUE, 'a'), (7, 'e', 'c', TRUE, 'b')`,
  );
  expect([...(await repair())].sort()).toEqual([
    '_ERASING (PLACE)',
    '_IDENTITIES (_PIPELINE, _ANONYMOUS, _RECORD_ID)',
    '_MATCHES (PIPELINE, EXTERNAL_ID)',
  ]);
  expect(await repair()).toEqual([]);
  expect(await written.identities()).toMatchObject([
    { recordId: 'u', updatedAtUs: 6n, values: { email: 'new' } },
  ]);
  expect(
    await stage.rows(`SELECT "CHANGE" FROM ${stage.at('_DIRTY')} ORDER BY "IDENTITY"`),
  ).toEqual([['added'], ['removed']]);
  expect(await stage.rows(`SELECT COUNT(*) FROM ${stage.at('_MATCHES')}`)).toEqual([['2']]);
  const places = await stage.rows(
    `SELECT COUNT(DISTINCT "PLACE"), COUNT(*) FROM ${stage.at('_ERASING')}`,
  );
  expect(places).toEqual([['2', '2']]);
});
