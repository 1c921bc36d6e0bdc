import { FIRST_PROFILE_SCHEMA, type ProfileSchema, type WorkspaceId } from '@penstock/contracts';
import { parseJson, parseSchema } from '@penstock/schema';
import type { ProfilesChange } from '../../platform/warehouse';
import { batchOf, imported, OPTIONS } from '../../platform/warehouse-writer.contract';
import { profilesDifference, type RePaths } from '../../profiles/profiles-difference';
import { snowflakeOfSpecs, SnowflakeStage } from '../stage.fixture';
import { changeQueries, changeSteps } from './change-steps';

jest.setTimeout(240_000);

const MINE = 'workspace0000001' as WorkspaceId;

const server = snowflakeOfSpecs();
let stage: SnowflakeStage;

beforeEach(async () => {
  stage = await SnowflakeStage.open(server());
  await stage.initialise(MINE);
});
afterEach(() => stage.close());

const profilesOf = (
  version: number,
  names: readonly string[],
  type: object = { kind: 'string' },
): ProfileSchema => {
  const properties = names.map((name) => ({ name, readOptional: true, type }));
  const json = JSON.stringify({ kind: 'object', properties });
  return { version, schema: parseSchema(parseJson(json)) };
};

const changeOf = (
  from: ProfileSchema,
  to: ProfileSchema,
  rePaths: RePaths = new Map(),
  more: Partial<ProfilesChange> = {},
): ProfilesChange => {
  const difference = profilesDifference(from.schema, to.schema, rePaths);
  if ('issues' in difference) throw new Error(JSON.stringify(difference.issues));
  return { from, to, difference, marksAll: false, begun: () => Promise.resolve(), ...more };
};

const change = (given: ProfilesChange): Promise<void> =>
  stage.as((warehouse) => warehouse.changeProfiles(MINE, given));

const version = (): Promise<number | undefined> =>
  stage.as((warehouse) => warehouse.profilesVersion(MINE));

const write = async (recordId: string, values: Readonly<Record<string, string>>): Promise<void> => {
  const writer = await stage.writer(OPTIONS);
  const identities = await writer.begin({ role: 'events', epoch: 1 });
  await identities.write(batchOf([imported(recordId, 5, values)]));
  await writer.close();
};

/** Names of columns of a view, without the service's own. */
const columnsOf = async (view: string): Promise<readonly (string | null | undefined)[]> =>
  (await stage.rows(`DESCRIBE TABLE ${stage.at(view)}`))
    .map(([name]) => name)
    .filter((name) => name?.startsWith('_') === false);

/** Names are exchanged, one is dropped, one is added, and one is fresh under an old name. */
const SWAPPED = profilesOf(2, ['last_name', 'email', 'age']);
const RENAMED: RePaths = new Map([
  ['last_name', 'email'],
  ['email', 'last_name'],
]);

const expectSwapped = async (): Promise<void> => {
  expect(await version()).toBe(2);
  for (const view of ['IDENTITIES', 'PROFILES', '_IDENTITIES', '_PROFILES'])
    expect([...(await columnsOf(view))].sort()).toEqual(['AGE', 'EMAIL', 'LAST_NAME']);
  const rows = await stage.rows(
    `SELECT "EMAIL", "LAST_NAME", "AGE", "_PROPERTY_TIMES" FROM ${stage.at('IDENTITIES')}`,
  );
  expect(rows.map((row) => row.slice(0, 3))).toEqual([['name', 'mail', null]]);
  expect(await stage.as((warehouse) => warehouse.repair(MINE, SWAPPED))).toEqual([]);
};

it('adds, drops and renames columns, with what is in them', async () => {
  await write('u', { email: 'mail', last_name: 'name', first_name: 'first' });
  await change(changeOf(FIRST_PROFILE_SCHEMA, SWAPPED, RENAMED));
  await expectSwapped();
  await expect(write('v', {})).rejects.toMatchObject({ kind: 'outdated' });
});

it('moves the times of properties with their columns', async () => {
  await write('u', {});
  await stage.rows(
    `UPDATE ${stage.at('_IDENTITIES')} SET "_PROPERTY_TIMES" =
     PARSE_JSON('{"_OTHERS":"1 a","EMAIL":"2 b","LAST_NAME":"3 c","FIRST_NAME":"4 d"}')`,
  );
  await change(changeOf(FIRST_PROFILE_SCHEMA, SWAPPED, RENAMED));
  const [[times] = []] = await stage.rows(
    `SELECT "_PROPERTY_TIMES" FROM ${stage.at('_IDENTITIES')}`,
  );
  expect(JSON.parse(times ?? '')).toEqual({ _OTHERS: '1 a', LAST_NAME: '2 b', EMAIL: '3 c' });
});

it('consists of the statements that are shown before', async () => {
  await write('u', { email: 'mail', last_name: 'name', first_name: 'first' });
  const step = changeOf(FIRST_PROFILE_SCHEMA, SWAPPED, RENAMED);
  for (const statement of changeQueries(stage.place, step)) await stage.rows(statement);
  await expectSwapped();
});

it.each([7, 9])('is gone on with by whoever comes where it was cut off in step %i', async (cut) => {
  await write('u', { email: 'mail', last_name: 'name', first_name: 'first' });
  const steps = changeSteps(stage.place, changeOf(FIRST_PROFILE_SCHEMA, SWAPPED, RENAMED));
  await stage.rows(`UPDATE ${stage.at('_META')} SET "CHANGED" = 0, "CHANGING_TO" = 2`);
  await stage.owner.rows(`UPDATE ${stage.at('_META')} SET "CHANGING" = ?`, [JSON.stringify(steps)]);
  await expect(write('v', {})).rejects.toMatchObject({ kind: 'outdated' });
  // A step is executed, and whoever has executed it is lost before it is recorded.
  for (const [index, { sql, changesRows }] of steps.slice(0, cut).entries()) {
    if (changesRows === true) break;
    await stage.rows(sql);
    await stage.rows(`UPDATE ${stage.at('_META')} SET "CHANGED" = ${String(index)}`);
  }
  await expectSwapped();
});

it('changes nothing where it is refused, or only tried', async () => {
  const next = profilesOf(2, ['email']);
  const given = changeOf(FIRST_PROFILE_SCHEMA, next);
  const refused = { begun: () => Promise.reject(new Error('no')) };
  await expect(change({ ...given, ...refused })).rejects.toBeDefined();
  await change({ ...given, isDryRun: true });
  await expect(change(changeOf(profilesOf(7, ['email']), next))).rejects.toMatchObject({
    kind: 'outdated',
  });
  const wide = profilesOf(2, ['sum'], { kind: 'decimal', precision: 39, scale: 0 });
  await expect(change(changeOf(FIRST_PROFILE_SCHEMA, wide))).rejects.toMatchObject({
    kind: 'unsupported',
  });
  expect(await version()).toBe(1);
  expect(await columnsOf('IDENTITIES')).toEqual(['EMAIL', 'FIRST_NAME', 'LAST_NAME']);
});

it('excludes repairs and other changes, until it is interrupted', async () => {
  const given = changeOf(FIRST_PROFILE_SCHEMA, profilesOf(2, ['email']));
  const busy = { kind: 'busy' };
  const begun = async (): Promise<void> => {
    await expect(version()).rejects.toMatchObject(busy);
    await expect(change(given)).rejects.toMatchObject(busy);
    const repair = stage.as((warehouse) => warehouse.repair(MINE, FIRST_PROFILE_SCHEMA));
    await expect(repair).rejects.toMatchObject(busy);
    await stage.as((warehouse) => warehouse.interruptChange());
  };
  await expect(change({ ...given, begun })).rejects.toMatchObject({ kind: 'unreachable' });
  expect(await version()).toBe(1);
});

it('marks all identities where it is told to', async () => {
  await write('u', {});
  await stage.rows(`DELETE FROM ${stage.at('_DIRTY')}`);
  const same = { ...FIRST_PROFILE_SCHEMA, version: 2 };
  await change(changeOf(FIRST_PROFILE_SCHEMA, same, new Map(), { marksAll: true }));
  expect(await stage.rows(`SELECT "CHANGE" FROM ${stage.at('_DIRTY')}`)).toEqual([['changed']]);
});
