import type { WorkspaceId } from '@penstock/contracts';
import type { StoredProfile } from '../../platform/profile-reads';
import { profileId, PROFILES, recordOfCells } from '../../platform/profiles.fixture';
import type { WarehouseReader } from '../../platform/warehouse-reader';
import { MINE } from '../../platform/warehouse-writer.contract';
import { SCHEMA } from '../stage.fixture';
import { type WrittenStage, writtenStage } from '../writing/written-stage.fixture';
import { insertProfiles } from './insert-profiles.fixture';

jest.setTimeout(60_000);

let written: WrittenStage;
let reader: WarehouseReader;
let end: AbortController;

beforeAll(async () => {
  written = await writtenStage(MINE);
  await written.stage.as(written.loader, (warehouse) => warehouse.repair(MINE, PROFILES));
  end = new AbortController();
  reader = await open();
});
afterAll(async () => {
  end.abort();
  await written.close();
});
beforeEach(() => run('TRUNCATE _profiles, _profile_aliases'));

const open = (workspace: WorkspaceId = MINE) =>
  written.stage.reader(written.loader, { workspace, epoch: 1, connections: 2 }, end.signal);

const run = (...statements: readonly string[]) =>
  written.stage.run(`SET search_path = ${SCHEMA}`, ...statements);

const signal = () => AbortSignal.timeout(20_000);

const { schema } = PROFILES;

const read = (id: string, properties = schema): Promise<StoredProfile | undefined> =>
  reader.profile({ profiles: PROFILES, properties, id }, signal());

describe('a profile', () => {
  it.each([
    ['moment', `'infinity'`],
    ['moment', `'0044-03-15 BC'`],
    ['day', `'10000-01-01'`],
    ['dec', `'NaN'`],
    ['year', '0'],
    ['ip', `'10.0.0.0/8'`],
    ['clock', `'24:00:00'`],
    ['texts', 'ARRAY[NULL]::text[]'],
    ['map', `'[]'`],
  ])('of which %s is %s is said not to fit', async (column, value) => {
    await run(insertProfiles([{}]), `UPDATE _profiles SET ${column} = ${value}`);
    await expect(read(profileId(0))).rejects.toMatchObject({
      kind: 'unusable',
      message: `_profiles holds a value that does not fit: ${column}`,
    });
  });

  it('is read the same whatever time zone and digits the database has', async () => {
    await run(
      insertProfiles([
        recordOfCells([
          ...Array.from({ length: 9 }, () => null),
          '0.1',
          '0.1',
          null,
          '"0001-01-01T00:00:00.000001Z"',
        ]),
      ]),
      `ALTER ROLE ${written.loader} SET TimeZone = 'Africa/Monrovia'`,
      `ALTER ROLE ${written.loader} SET DateStyle = 'German'`,
      `ALTER ROLE ${written.loader} SET extra_float_digits = -15`,
    );
    const other = await open();
    const wanted = { profiles: PROFILES, properties: schema, id: profileId(0) };
    expect((await other.profile(wanted, signal()))?.attributes).toEqual({
      f32: Math.fround(0.1),
      f64: 0.1,
      moment: '0001-01-01T00:00:00.000001Z',
    });
    await run(`ALTER ROLE ${written.loader} RESET ALL`);
  });
});
