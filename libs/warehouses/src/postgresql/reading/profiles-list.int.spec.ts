import { type Filter, parseFilter } from '@penstock/filters';
import {
  compareCodePoints,
  compareDateTimes,
  compareDecimals,
  parseJson,
  type RecordValue,
  type Type,
  type Value,
} from '@penstock/schema';
import fc from 'fast-check';
import { BlockList } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { ProfileOrder, ProfilesPage, ProfilesWanted } from '../../platform/profile-reads';
import type { WarehouseReader } from '../../platform/warehouse-reader';
import { MINE } from '../../platform/warehouse-writer.contract';
import { valueAt } from '../columns/profile-columns';
import { SCHEMA } from '../stage.fixture';
import { type WrittenStage, writtenStage } from '../writing/written-stage.fixture';
import {
  cells,
  COLUMNS,
  insertProfiles,
  profileId,
  PROFILES,
  recordOfCells,
} from './profiles.fixture';

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
const BY_UPDATE: ProfileOrder = { path: null, isDescending: true };

const wantedOf = (wanted: Partial<ProfilesWanted>): ProfilesWanted => ({
  ...{ profiles: PROFILES, properties: schema, filter: null, order: BY_UPDATE },
  ...{ limit: 100, isCounted: false, ...wanted },
});

const page = (wanted: Partial<ProfilesWanted> = {}): Promise<ProfilesPage> =>
  reader.profiles(wantedOf(wanted), AbortSignal.timeout(20_000));

const pages = async (
  wanted: Partial<ProfilesWanted>,
  between?: () => Promise<void>,
): Promise<ProfilesPage[]> => {
  const found: ProfilesPage[] = [];
  let isLast = false;
  for (let after: string | undefined; !isLast; after = found.at(-1)?.profiles.at(-1)?.place) {
    const read = await page({ ...wanted, after });
    found.push(read);
    ({ isLast } = read);
    await between?.();
  }
  return found;
};

const ids = (found: readonly ProfilesPage[]): string[] =>
  found.flatMap(({ profiles }) => profiles.map(({ id }) => id));

const range = (from: number, to: number): string[] =>
  Array.from({ length: Math.abs(to - from) + 1 }, (_, at) =>
    profileId(from + (to < from ? -at : at)),
  );

const filterOf = (...conditions: readonly object[]): Filter =>
  parseFilter(parseJson(JSON.stringify({ logical: 'and', conditions })), schema, 'DestinationUser');

/** Whether an address is before another one of its family. */
const isBefore = (one: string, other: string): boolean => {
  const family = one.includes(':') ? 'ipv6' : 'ipv4';
  const list = new BlockList();
  try {
    list.addRange(one, other, family);
  } catch {
    return false;
  }
  return one !== other;
};

const compareIps = (one: string, other: string): number => {
  if (one === other) return 0;
  const [isLong, isOtherLong] = [one.includes(':'), other.includes(':')];
  if (isLong !== isOtherLong) return isLong ? 1 : -1;
  return isBefore(one, other) ? -1 : 1;
};

const compareNumbers = (one: number, other: number): number => {
  if (Number.isNaN(one) || Number.isNaN(other))
    return Number(Number.isNaN(one)) - Number(Number.isNaN(other));
  return one < other ? -1 : Number(one > other);
};

/** The order of the values of a type, without the code under test. Times are compared as they are kept. */
const compareOf = (type: Type): ((one: Value, other: Value) => number) => {
  if (type.kind === 'string')
    return (one, other) => compareCodePoints(one as string, other as string);
  if (type.kind === 'decimal')
    return (one, other) => compareDecimals(one as string, other as string);
  if (type.kind === 'datetime')
    return (one, other) => compareDateTimes(one as string, other as string);
  if (type.kind === 'ip') return (one, other) => compareIps(one as string, other as string);
  if (type.kind === 'float') return (one, other) => compareNumbers(one as number, other as number);
  return (one, other) => ((one as string) < (other as string) ? -1 : Number(one !== other));
};

const SORTABLE = COLUMNS.filter(({ type }) => !['json', 'array', 'map'].includes(type.kind));

const sorted = (
  profiles: ProfilesPage['profiles'],
  path: readonly string[],
  type: Type,
  isDescending: boolean,
): string[] => {
  const compare = compareOf(type);
  const valueOf = (record: RecordValue) => valueAt(record, path);
  return [...profiles]
    .sort((one, other) => {
      const [mine, theirs] = [valueOf(one.attributes), valueOf(other.attributes)];
      const byId = one.id < other.id ? -1 : 1;
      if (mine === undefined || theirs === undefined)
        return Number(mine === undefined) - Number(theirs === undefined) || byId;
      return (isDescending ? compare(theirs, mine) : compare(mine, theirs)) || byId;
    })
    .map(({ id }) => id);
};

it('are listed by every property that has an order, in both directions and in pages of any size', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(cells, { minLength: 10, maxLength: 10 }),
      fc.integer({ min: 1, max: 11 }),
      async (drawn, limit) => {
        await run('TRUNCATE _profiles', insertProfiles(drawn.map(recordOfCells)));
        const { profiles } = await page();
        for (const { path, type } of SORTABLE)
          for (const isDescending of [false, true]) {
            const order = { path: path.join('.'), isDescending };
            expect({ order, ids: ids(await pages({ order, limit })) }).toEqual({
              order,
              ids: sorted(profiles, path, type, isDescending),
            });
          }
      },
    ),
    { numRuns: 6, endOnFailure: true },
  );
});

const many = (count: number, from = 0): Promise<void> =>
  run(`INSERT INTO _profiles (_profile_id, _updated_at, i64)
       SELECT ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid,
              '2026-03-01T09:30Z'::timestamptz + n * interval '1 microsecond', n % 7
       FROM generate_series(${from}, ${from + count - 1}) AS n`);

describe('by the time of the update', () => {
  it.each([4, 5, 6])('are whole in pages of %i, the newest first', async (limit) => {
    await many(5);
    const found = await pages({ limit });
    expect(ids(found)).toEqual(range(4, 0));
    expect(found).toHaveLength(limit < 5 ? 2 : 1);
    expect(ids(await pages({ limit, order: { path: null, isDescending: false } }))).toEqual(
      range(0, 4),
    );
  });

  it('go by their ids where the times are equal', async () => {
    await many(9);
    await run(`UPDATE _profiles SET _updated_at = '2026-03-01'`);
    for (const isDescending of [true, false])
      expect(ids(await pages({ limit: 2, order: { path: null, isDescending } }))).toEqual(
        range(0, 8),
      );
  });

  it('are neither doubled nor left out while others are written', async () => {
    await many(50);
    let next = 1_000;
    const found = await pages({ limit: 7 }, async () => {
      await many(20, next);
      next += 100;
    });
    expect(ids(found)).toEqual(range(49, 0));
  });

  it.each([false, true])('are read along the index, with statistics: %s', async (isAnalysed) => {
    await run('ALTER TABLE _profiles SET (autovacuum_enabled = false)');
    await many(20_000);
    if (isAnalysed) await run('ANALYZE _profiles');
    const read = async () => {
      await run('SELECT pg_stat_clear_snapshot()');
      const [row] = await written.stage.rows(
        `SELECT (SELECT idx_tup_read FROM pg_stat_user_indexes WHERE indexrelname = '_profiles__updated_at_idx')::int AS indexed,
                (SELECT seq_tup_read FROM pg_stat_user_tables WHERE relid = '${SCHEMA}._profiles'::regclass)::int AS scanned`,
      );
      return row as { indexed: number; scanned: number };
    };
    const before = await read();
    const own = new AbortController();
    const options = { workspace: MINE, epoch: 1, connections: 1 };
    const session = await written.stage.reader(written.loader, options, own.signal);
    const next = async (after?: string) => {
      const { profiles } = await session.profiles(
        wantedOf({ limit: 100, after }),
        AbortSignal.timeout(20_000),
      );
      return profiles.at(-1)?.place;
    };
    expect(await next(await next())).toContain(profileId(19_800));
    own.abort();
    // What a session has read is known when it has ended.
    for (let tries = 0; (await read()).indexed < before.indexed + 202 && tries < 200; tries += 1)
      await setTimeout(50);
    const after = await read();
    expect(after.indexed - before.indexed).toBeGreaterThanOrEqual(202);
    expect(after.indexed - before.indexed).toBeLessThan(400);
    // What sessions of earlier tests have read of their few rows may become known now.
    expect(after.scanned - before.scanned).toBeLessThan(1_000);
  });
});

describe('a page', () => {
  it('has the profiles that match, and counts all of them when it is asked to', async () => {
    await many(20);
    const filter = filterOf({ property: 'i64', operator: 'is', values: ['3'] });
    const first = await page({ filter, limit: 2, isCounted: true });
    expect(first).toMatchObject({ isLast: false, total: 3 });
    expect(ids([first])).toEqual([profileId(17), profileId(10)]);
    const after = first.profiles.at(-1)?.place;
    const second = await page({ filter, limit: 2, after, isCounted: true });
    expect(second).toMatchObject({ isLast: true, total: 3 });
    expect(ids([second])).toEqual([profileId(3)]);
    expect(await page({ filter })).toMatchObject({ total: null });
    const none = filterOf({ property: 'i64', operator: 'is', values: ['9'] });
    const empty = { profiles: [], isLast: true };
    expect(await page({ filter: none })).toEqual({ ...empty, total: null });
    expect(await page({ filter: none, isCounted: true })).toEqual({ ...empty, total: 0 });
  });

  it('has the wanted properties only, and is filtered and ordered by others', async () => {
    await many(3);
    const properties = { ...schema, properties: schema.properties.slice(0, 1) };
    const filter = filterOf({ property: 'i64', operator: 'is less than', values: ['2'] });
    const order = { path: 'i64', isDescending: true };
    const { profiles } = await page({ properties, filter, order });
    expect(profiles.map(({ id, attributes }) => ({ id, attributes }))).toEqual([
      { id: profileId(1), attributes: {} },
      { id: profileId(0), attributes: {} },
    ]);
  });

  it('is shorter when its profiles are large', async () => {
    await many(8);
    await run(`UPDATE _profiles SET text = repeat('x', 300000)`);
    const found = await pages({ limit: 8 });
    expect(found.map(({ profiles }) => profiles.length)).toEqual([2, 2, 2, 2]);
    expect(ids(found)).toEqual(range(7, 0));
  });

  it('orders long texts by their first characters, so that places are short', async () => {
    await many(4);
    await run(
      `UPDATE _profiles SET text = repeat('😀', 128) || (9 - substr(_profile_id::text, 36)::int)`,
      `UPDATE _profiles SET text = repeat('😀', 127) WHERE _profile_id = '${profileId(3)}'`,
    );
    const found = await pages({ limit: 1, order: { path: 'text', isDescending: false } });
    expect(ids(found)).toEqual([profileId(3), profileId(0), profileId(1), profileId(2)]);
    for (const { profiles } of found)
      expect(Buffer.byteLength(profiles[0]?.place ?? '')).toBeLessThanOrEqual(36 + 7 + 512);
  });

  it.each([`' OR true --`, `x' || pg_sleep(100) || '`, '\\', ''])(
    'takes a place that says %j for a text',
    async (value) => {
      await many(1);
      const order = { path: 'text', isDescending: false };
      const { profiles } = await page({ order, after: JSON.stringify([value, profileId(0)]) });
      expect(profiles).toHaveLength(1);
    },
  );
});
