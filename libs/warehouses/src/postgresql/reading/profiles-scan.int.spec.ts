import { type Filter, compileFilter, parseFilter } from '@penstock/filters';
import { parseJson, type Schema } from '@penstock/schema';
import fc from 'fast-check';
import type { ScannedProfile, ScanWanted } from '../../platform/profile-reads';
import {
  cells,
  COLUMNS,
  profileId,
  PROFILES,
  recordOfCells,
} from '../../platform/profiles.fixture';
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
  const options = { workspace: MINE, epoch: 1, connections: 2 };
  reader = await written.stage.reader(written.loader, options, end.signal);
});
afterAll(async () => {
  end.abort();
  await written.close();
});
beforeEach(() => run('TRUNCATE _profiles'));

const run = (...statements: readonly string[]) =>
  written.stage.run(`SET search_path = ${SCHEMA}`, ...statements);

const { schema } = PROFILES;
const limit = () => AbortSignal.timeout(30_000);

const wantedOf = (wanted: Partial<ScanWanted> = {}): ScanWanted => ({
  ...{ profiles: PROFILES, properties: schema, filter: null, ...wanted },
});

const scanned = async (
  wanted: Partial<ScanWanted>,
  size: number,
  between?: () => Promise<void>,
): Promise<ScannedProfile[]> => {
  const found: ScannedProfile[] = [];
  for (let isLast = false; !isLast;) {
    const after = found.at(-1)?.id;
    const page = await reader.scan({ ...wantedOf(wanted), limit: size, after }, limit());
    expect(page.profiles.length).toBeLessThanOrEqual(size);
    found.push(...page.profiles);
    ({ isLast } = page);
    await between?.();
  }
  return found;
};

const inOrder = async (
  path: string,
  wanted: Partial<ScanWanted> = {},
): Promise<ScannedProfile[]> => {
  const found: ScannedProfile[] = [];
  for await (const part of reader.scanInOrder(wantedOf(wanted), path, limit())) found.push(...part);
  return found;
};

const filterOf = (of: Schema, ...conditions: readonly object[]): Filter =>
  parseFilter(parseJson(JSON.stringify({ logical: 'and', conditions })), of, 'DestinationUser');

const many = (count: number): Promise<void> =>
  run(`INSERT INTO _profiles (_profile_id, i64, text)
       SELECT ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, n % 7, 'text ' || n
       FROM generate_series(0, ${count - 1}) AS n`);

const SORTABLE = COLUMNS.filter(({ type }) => !['json', 'array', 'map'].includes(type.kind));

it('gives every profile, by ids and by every property that has an order, as the list of profiles does', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(cells, { minLength: 9, maxLength: 9 }),
      fc.integer({ min: 1, max: 10 }),
      fc.constantFrom('3', '-1', '0'),
      async (drawn, size, value) => {
        await run(insertProfiles(drawn.map(recordOfCells)));
        const filter = filterOf(schema, { property: 'i8', operator: 'is not', values: [value] });
        const { matches } = compileFilter(filter, schema);
        const listed = async (path: string) => {
          const order = { path, isDescending: false };
          const wanted = { ...wantedOf(), order, limit: 100, isCounted: false };
          const { profiles } = await reader.profiles(wanted, limit());
          return profiles.map(({ id, attributes }) => ({
            id,
            attributes: matches(attributes) ? attributes : null,
          }));
        };
        const byId = [...(await listed('i8'))].sort((one, other) => (one.id < other.id ? -1 : 1));
        expect(await scanned({ filter }, size)).toEqual(byId);
        expect(await reader.countProfiles(limit())).toBe(9);
        for (const { path } of SORTABLE)
          expect(await inOrder(path.join('.'), { filter })).toEqual(await listed(path.join('.')));
        await run('TRUNCATE _profiles');
      },
    ),
    { numRuns: 5, endOnFailure: true },
  );
});

it('compares long texts as a whole, and gives those without one last, by their ids', async () => {
  await many(6);
  await run(
    `UPDATE _profiles SET text = repeat('x', 300) || (9 - substr(_profile_id::text, 36)::int)`,
    `UPDATE _profiles SET text = NULL WHERE _profile_id IN ('${profileId(1)}', '${profileId(4)}')`,
  );
  const ids = (await inOrder('text')).map(({ id }) => id);
  expect(ids).toEqual([5, 3, 2, 0, 1, 4].map(profileId));
});

it('reads what is wanted only, and nothing of what does not match', async () => {
  await many(14);
  const properties = {
    ...schema,
    properties: schema.properties.filter(({ name }) => name === 'i64'),
  };
  const filter = filterOf(properties, { property: 'i64', operator: 'is', values: ['3'] });
  const expected = Array.from({ length: 14 }, (_, n) => ({
    id: profileId(n),
    attributes: n % 7 === 3 ? { i64: 3n } : null,
  }));
  const found = await scanned({ properties, filter }, 4);
  expect(
    found.map(({ id, attributes }) => ({ id, attributes: attributes && { ...attributes } })),
  ).toEqual(expected);
});

it('is of one state in order, whatever is written meanwhile', async () => {
  await many(1_000);
  const found: ScannedProfile[] = [];
  for await (const part of reader.scanInOrder(wantedOf(), 'i64', limit())) {
    if (found.length === 0)
      await run(
        `DELETE FROM _profiles WHERE i64 = 6`,
        `UPDATE _profiles SET i64 = 0 WHERE i64 = 5`,
      );
    found.push(...part);
  }
  expect(found).toHaveLength(1_000);
  const values = found.map(({ attributes }) => Number(attributes?.['i64']));
  expect(values).toEqual([...values].sort());
  expect(new Set(values).size).toBe(7);
});

it('by ids neither doubles nor leaves out profiles that stay', async () => {
  await many(60);
  const found = await scanned({}, 7, () => run(`UPDATE _profiles SET text = text || 'x'`));
  expect(found.map(({ id }) => id)).toEqual(Array.from({ length: 60 }, (_, n) => profileId(n)));
});

it('gives large profiles in small parts', async () => {
  await many(30);
  await run(`UPDATE _profiles SET text = repeat('ä', 500000) WHERE i64 > 2`);
  const { profiles, isLast } = await reader.scan({ ...wantedOf(), limit: 30 }, limit());
  expect(isLast).toBe(false);
  expect(profiles.length).toBeGreaterThan(1);
  expect(profiles.length).toBeLessThan(12);
  const properties = {
    ...schema,
    properties: schema.properties.filter(({ name }) => name === 'text'),
  };
  expect(await inOrder('i64', { properties })).toHaveLength(30);
});

it('gives the connection up where it is not read to its end, and others go on', async () => {
  await many(500);
  for (let round = 0; round < 4; round += 1)
    for await (const part of reader.scanInOrder(wantedOf(), 'i64', limit())) {
      expect(part.length).toBeGreaterThan(0);
      break;
    }
  const given = new AbortController();
  const aborted = async () => {
    for await (const _ of reader.scanInOrder(wantedOf(), 'i64', given.signal)) given.abort();
  };
  await expect(aborted()).rejects.toMatchObject({ kind: 'unreachable' });
  expect(await reader.countProfiles(limit())).toBe(500);
});

it.each(['scan', 'scanInOrder'] as const)('%s refuses another schema of profiles', async (name) => {
  const wanted = wantedOf({ profiles: { ...PROFILES, version: PROFILES.version + 1 } });
  const reading =
    name === 'scan' ? reader.scan({ ...wanted, limit: 1 }, limit()) : inOrder('i64', wanted);
  await expect(reading).rejects.toMatchObject({ kind: 'outdated' });
});

it('is kept out with other readers, also while it reads', async () => {
  await many(500);
  const reading = async () => {
    for await (const _ of reader.scanInOrder(wantedOf(), 'i64', limit()))
      await written.stage.as(written.loader, (warehouse) =>
        warehouse.keepReadersOut(MINE, { epoch: 2, graceMs: 50 }),
      );
  };
  await expect(reading()).rejects.toMatchObject({ kind: 'unreachable' });
  await expect(inOrder('i64')).rejects.toMatchObject({ kind: 'fenced' });
  await expect(scanned({}, 5)).rejects.toMatchObject({ kind: 'fenced' });
});
