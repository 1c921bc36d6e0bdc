import type { WorkspaceId } from '@penstock/contracts';
import { type RecordValue, type Schema, valueToJson, writeJson } from '@penstock/schema';
import fc from 'fast-check';
import type { StoredProfile } from '../../platform/profile-reads';
import { cells, profileId, PROFILES, recordOfCells } from '../../platform/profiles.fixture';
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

const part = (...names: readonly string[]): Schema => ({
  kind: 'object',
  properties: schema.properties.filter(({ name }) => names.includes(name)),
});

const read = (id: string, properties = schema): Promise<StoredProfile | undefined> =>
  reader.profile({ profiles: PROFILES, properties, id }, signal());

/** Without JSON, whose spaces, order and exponents PostgreSQL does not keep. */
const EXACT = part(
  ...schema.properties.map(({ name }) => name).filter((name) => !/^docs?$/.test(name)),
);
const JSONS = part('doc', 'docs');

/** As an answer writes it, but JSON by what it stands for. */
const shown = (record: RecordValue): readonly unknown[] => [
  writeJson(valueToJson(EXACT, record)),
  JSON.parse(writeJson(valueToJson(JSONS, record))),
];

/** Times are cut to microseconds where they are written. */
const kept = (record: RecordValue): readonly unknown[] => {
  const [exact, jsons] = shown(record);
  const cut = (_: string, seconds: string, micros: string): string => {
    if (micros === '000000') return seconds;
    return `${seconds}.${micros.endsWith('000') ? micros.slice(0, 3) : micros}`;
  };
  return [(exact as string).replace(/(:\d\d)\.(\d{6})\d{3}(?=Z?")/g, cut), jsons];
};

describe('a profile', () => {
  it('has the values of its columns, of every kind', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(cells, { minLength: 8, maxLength: 8 }), async (drawn) => {
        const records = drawn.map(recordOfCells);
        await run('TRUNCATE _profiles', insertProfiles(records));
        for (const [at, record] of records.entries()) {
          const profile = await read(profileId(at));
          expect(shown(profile?.attributes ?? {})).toEqual(kept(record));
        }
      }),
      { numRuns: 12 },
    );
  });

  it('has its id and its times, and of its properties the wanted ones', async () => {
    const record = recordOfCells(['"a"', '"b"']);
    await run(insertProfiles([record]));
    const common = {
      id: profileId(0),
      createdAt: '2026-03-01T09:00:00.000000Z',
      updatedAt: '2026-03-01T09:30:00.000000Z',
    };
    expect(await read(profileId(0))).toEqual({ ...common, attributes: { text: 'a', short: 'b' } });
    expect(await read(profileId(0), part('short', 'near'))).toEqual({
      ...common,
      attributes: { short: 'b' },
    });
    expect(await read(profileId(0), part())).toEqual({ ...common, attributes: {} });
  });

  it('is that which an id was merged into; one that is there is itself', async () => {
    await run(
      insertProfiles([recordOfCells(['"zero"']), recordOfCells(['"one"'])]),
      `INSERT INTO _profile_aliases VALUES ('${profileId(7)}', '${profileId(1)}'),
        ('${profileId(0)}', '${profileId(1)}'), ('${profileId(8)}', '${profileId(9)}')`,
    );
    expect(await read(profileId(7))).toMatchObject({ id: profileId(1) });
    expect(await read(profileId(0))).toMatchObject({ id: profileId(0) });
    expect(await read(profileId(8))).toBeUndefined();
    expect(await read(profileId(2))).toBeUndefined();
  });

  it('whose arrays have more elements than one identity may have is read', async () => {
    const one = (maxElements: number): Schema => ({
      kind: 'object',
      properties: part('texts').properties.map((property) => ({
        ...property,
        type: { ...property.type, maxElements, uniqueElements: true } as typeof property.type,
      })),
    });
    await run(insertProfiles([{}]), `UPDATE _profiles SET texts = '{a,b}'`);
    expect(await read(profileId(0), one(1))).toMatchObject({ attributes: { texts: ['a', 'b'] } });
  });

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

describe('a read by the schema of profiles', () => {
  it('is refused as outdated when the warehouse has another one', async () => {
    const profiles = { ...PROFILES, version: 2 };
    const wanted = { profiles, properties: schema, id: profileId(0) };
    await expect(reader.profile(wanted, signal())).rejects.toMatchObject({ kind: 'outdated' });
  });

  it('is of the own warehouse only', async () => {
    const other = await open('workspace0000002' as WorkspaceId);
    const wanted = { profiles: PROFILES, properties: schema, id: profileId(0) };
    await expect(other.profile(wanted, signal())).rejects.toMatchObject({ kind: 'foreign' });
  });
});
