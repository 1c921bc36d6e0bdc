import {
  type ConnectionId,
  EVENT_SCHEMA,
  eventCodec,
  type Instant,
  type ProfileFact,
  type WorkspaceId,
} from '@penstock/contracts';
import { compileFilter, type Filter, parseFilter } from '@penstock/filters';
import {
  compareCodePoints,
  compareDateTimes,
  compareDecimals,
  cutFraction,
  decodeValue,
  parseJson,
  type RecordValue,
  type Schema,
  type Type,
  type Value,
  valueToJson,
  writeJson,
} from '@penstock/schema';
import fc from 'fast-check';
import { valueAt } from '../profiles/value-columns';
import type { EventsPage, EventsWanted } from './event-reads';
import type {
  ProfilesPage,
  ProfilesWanted,
  ScannedProfile,
  ScanWanted,
  StoredProfile,
} from './profile-reads';
import { cells, COLUMNS, profileId, PROFILES, recordOfCells } from './profiles.fixture';
import {
  moment,
  profilesOf,
  type PutIdentity,
  type ReadLimits,
  type ReadStage,
  recordWith,
} from './read-stage.fixture';
import type { ResolvedState } from './resolved-reads';
import type { IdentitiesPage, IdentitiesWanted, WarehouseReader } from './warehouse-reader';
import { MINE } from './warehouse-writer.contract';

const OTHER = 'workspace0000002' as WorkspaceId;
const { schema } = PROFILES;

const limit = (): AbortSignal => AbortSignal.timeout(60_000);

const part = (...names: readonly string[]): Schema => ({
  kind: 'object',
  properties: schema.properties.filter(({ name }) => names.includes(name)),
});

const filterOf = (...conditions: readonly object[]): Filter =>
  parseFilter(parseJson(JSON.stringify({ logical: 'and', conditions })), schema, 'DestinationUser');

const numbered = (count: number): readonly RecordValue[] =>
  Array.from({ length: count }, (_, n) => recordWith({ i64: BigInt(n % 7) }));

const range = (from: number, to: number): string[] =>
  Array.from({ length: Math.abs(to - from) + 1 }, (_, at) =>
    profileId(from + (to < from ? -at : at)),
  );

/** By what a value stands for: of JSON, not the order of its members, nor the digits of its numbers. */
const shown = (record: RecordValue): Readonly<Record<string, unknown>> => {
  const exact = part(
    ...schema.properties.map(({ name }) => name).filter((name) => !/^docs?$/.test(name)),
  );
  return {
    exact: writeJson(valueToJson(exact, record)),
    json: JSON.parse(writeJson(valueToJson(part('doc', 'docs'), record))) as unknown,
  };
};

/** Times as a database with fewer digits keeps them. Arrays may keep more. */
const cutTimes = (record: RecordValue, digits: number): RecordValue => {
  const json = writeJson(valueToJson(schema, record)).replace(
    /\d\d:\d\d:\d\d\.\d+(?=Z?")/g,
    (clock) =>
      cutFraction(clock, digits)
        .replace(/(\.\d{3})000$/, '$1')
        .replace('.000', ''),
  );
  return decodeValue(schema, parseJson(json)) as RecordValue;
};

const compareNumbers = (one: number, other: number): number => {
  if (Number.isNaN(one) || Number.isNaN(other))
    return Number(Number.isNaN(one)) - Number(Number.isNaN(other));
  return one < other ? -1 : Number(one > other);
};

/** The order of the values of a type, without the code under test. Times are compared as they are kept. */
const compareOf = (
  type: Type,
  { compareIps }: ReadLimits,
): ((one: Value, other: Value) => number) => {
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

/** What reads and other parts of the contract share. */
interface Subject {
  readonly stage: () => ReadStage;
  readonly reader: () => WarehouseReader;
  readonly limits: ReadLimits;
}

const ofProfiles = ({ stage, reader, limits }: Subject): void => {
  const read = (id: string, properties = schema): Promise<StoredProfile | undefined> =>
    reader().profile({ profiles: PROFILES, properties, id }, limit());

  it('has the values of its columns, of every kind', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(cells, { minLength: 8, maxLength: 8 }), async (drawn) => {
        const records = drawn.map(recordOfCells);
        await stage().empty();
        await stage().putProfiles(profilesOf(records));
        for (const [at, record] of records.entries()) {
          const profile = await read(profileId(at));
          const told = (of: RecordValue) => shown(cutTimes(of, limits.fractionDigits));
          expect(told(profile?.attributes ?? {})).toEqual(told(record));
        }
      }),
      { numRuns: limits.runs, endOnFailure: true },
    );
  });

  it('has its id and its times, and of its properties the wanted ones', async () => {
    await stage().putProfiles(profilesOf([recordWith({ text: 'a', short: 'b' })]));
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
    await stage().putProfiles(profilesOf([recordWith({}), recordWith({})]));
    await stage().putAliases([
      [profileId(7), profileId(1)],
      [profileId(0), profileId(1)],
      [profileId(8), profileId(9)],
    ]);
    expect(await read(profileId(7))).toMatchObject({ id: profileId(1) });
    expect(await read(profileId(0))).toMatchObject({ id: profileId(0) });
    expect(await read(profileId(8))).toBeUndefined();
    expect(await read(profileId(2))).toBeUndefined();
    expect(await read(`' OR '' = '`.padEnd(36)).catch(() => undefined)).toBeUndefined();
  });

  it('whose arrays have more elements than one identity may have is read', async () => {
    const { properties } = part('texts');
    const one: Schema = {
      kind: 'object',
      properties: properties.map((property) => ({
        ...property,
        type: { ...property.type, maxElements: 1, uniqueElements: true } as typeof property.type,
      })),
    };
    await stage().putProfiles(profilesOf([recordWith({ texts: ['a', 'b'] })]));
    expect(await read(profileId(0), one)).toMatchObject({ attributes: { texts: ['a', 'b'] } });
  });

  it('is outdated when the warehouse has another schema of profiles', async () => {
    const wanted = { profiles: { ...PROFILES, version: PROFILES.version + 1 }, properties: schema };
    await expect(reader().profile({ ...wanted, id: profileId(0) }, limit())).rejects.toMatchObject({
      kind: 'outdated',
    });
  });
};

const ofLists = ({ stage, reader, limits }: Subject): void => {
  const page = (wanted: Partial<ProfilesWanted> = {}): Promise<ProfilesPage> =>
    reader().profiles(
      {
        ...{ profiles: PROFILES, properties: schema, filter: null, limit: 100, isCounted: false },
        ...{ order: { path: null, isDescending: true }, ...wanted },
      },
      limit(),
    );

  const pages = async (
    wanted: Partial<ProfilesWanted>,
    between?: () => Promise<void>,
  ): Promise<ProfilesPage[]> => {
    const found: ProfilesPage[] = [];
    let isLast = false;
    for (let after: string | undefined; !isLast; after = found.at(-1)?.profiles.at(-1)?.place) {
      const next = await page({ ...wanted, after });
      found.push(next);
      ({ isLast } = next);
      await between?.();
    }
    return found;
  };

  const ids = (found: readonly ProfilesPage[]): string[] =>
    found.flatMap(({ profiles }) => profiles.map(({ id }) => id));

  const sorted = (
    profiles: ProfilesPage['profiles'],
    { path, type }: (typeof SORTABLE)[number],
    isDescending: boolean,
  ): string[] => {
    const compare = compareOf(type, limits);
    return [...profiles]
      .sort((one, other) => {
        const [mine, theirs] = [valueAt(one.attributes, path), valueAt(other.attributes, path)];
        const byId = one.id < other.id ? -1 : 1;
        if (mine === undefined || theirs === undefined)
          return Number(mine === undefined) - Number(theirs === undefined) || byId;
        return (isDescending ? compare(theirs, mine) : compare(mine, theirs)) || byId;
      })
      .map(({ id }) => id);
  };

  it('are ordered by every property that has an order, in both directions and in pages of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(cells, { minLength: 10, maxLength: 10 }),
        fc.integer({ min: 3, max: 11 }),
        async (drawn, size) => {
          await stage().empty();
          await stage().putProfiles(profilesOf(drawn.map(recordOfCells)));
          const { profiles } = await page();
          for (const column of SORTABLE)
            for (const isDescending of [false, true]) {
              const order = { path: column.path.join('.'), isDescending };
              expect({ order, ids: ids(await pages({ order, limit: size })) }).toEqual({
                order,
                ids: sorted(profiles, column, isDescending),
              });
            }
        },
      ),
      { numRuns: Math.ceil(limits.runs / 2), endOnFailure: true },
    );
  });

  it.each([4, 5, 6])(
    'are whole in pages of %i, those that were updated last first',
    async (size) => {
      await stage().putProfiles(profilesOf(numbered(5)));
      const found = await pages({ limit: size });
      expect(ids(found)).toEqual(range(4, 0));
      expect(found).toHaveLength(size < 5 ? 2 : 1);
      const order = { path: null, isDescending: false };
      expect(ids(await pages({ limit: size, order }))).toEqual(range(0, 4));
    },
  );

  it('go by their ids where the times are equal', async () => {
    const equal = profilesOf(numbered(9)).map((each) => ({ ...each, updatedAt: moment(0) }));
    await stage().putProfiles(equal);
    for (const isDescending of [true, false])
      expect(ids(await pages({ limit: 2, order: { path: null, isDescending } }))).toEqual(
        range(0, 8),
      );
  });

  it('are neither doubled nor left out while others are written', async () => {
    await stage().putProfiles(profilesOf(numbered(20)));
    let next = 1_000;
    const found = await pages({ limit: 7 }, async () => {
      await stage().putProfiles(profilesOf(numbered(10), next));
      next += 100;
    });
    expect(ids(found)).toEqual(range(19, 0));
  });

  it('are those that match, and all of them are counted when that is asked for', async () => {
    await stage().putProfiles(profilesOf(numbered(20)));
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

  it('have the wanted properties only, and are filtered and ordered by others', async () => {
    await stage().putProfiles(profilesOf(numbered(3)));
    const filter = filterOf({ property: 'i64', operator: 'is less than', values: ['2'] });
    const order = { path: 'i64', isDescending: true };
    const { profiles } = await page({ properties: part('text'), filter, order });
    expect(profiles.map(({ id, attributes }) => ({ id, attributes }))).toEqual([
      { id: profileId(1), attributes: {} },
      { id: profileId(0), attributes: {} },
    ]);
  });

  it('come in shorter pages when they are large', async () => {
    await stage().putProfiles(
      profilesOf(Array.from({ length: 8 }, () => recordWith({ text: 'x'.repeat(300_000) }))),
    );
    const found = await pages({ limit: 8 });
    expect(found.map(({ profiles }) => profiles.length)).toEqual([2, 2, 2, 2]);
    expect(ids(found)).toEqual(range(7, 0));
  });

  it('are ordered by the first characters of long texts, so that places are short', async () => {
    const smile = '\u{1f600}';
    const texts = [9, 8, 7].map((n) => smile.repeat(128) + String(n));
    await stage().putProfiles(
      profilesOf([...texts, smile.repeat(127)].map((text) => recordWith({ text }))),
    );
    const found = await pages({ limit: 1, order: { path: 'text', isDescending: false } });
    expect(ids(found)).toEqual([profileId(3), profileId(0), profileId(1), profileId(2)]);
    for (const { profiles } of found)
      expect(Buffer.byteLength(profiles[0]?.place ?? '')).toBeLessThanOrEqual(36 + 7 + 512);
  });

  it.each([`' OR true --`, `x' || 'y`, '\\', ''])(
    'take a place that says %j for a text',
    async (value) => {
      await stage().putProfiles(profilesOf(numbered(1)));
      const order = { path: 'text', isDescending: false };
      const { profiles } = await page({ order, after: JSON.stringify([value, profileId(0)]) });
      expect(profiles).toHaveLength(1);
    },
  );
};

const ofScans = ({ stage, reader, limits }: Subject): void => {
  const wantedOf = (wanted: Partial<ScanWanted> = {}): ScanWanted => ({
    ...{ profiles: PROFILES, properties: schema, filter: null, ...wanted },
  });

  const scanned = async (wanted: Partial<ScanWanted>, size: number): Promise<ScannedProfile[]> => {
    const found: ScannedProfile[] = [];
    for (let isLast = false; !isLast;) {
      const after = found.at(-1)?.id;
      const next = await reader().scan({ ...wantedOf(wanted), limit: size, after }, limit());
      expect(next.profiles.length).toBeLessThanOrEqual(size);
      found.push(...next.profiles);
      ({ isLast } = next);
    }
    return found;
  };

  const inOrder = async (
    path: string,
    wanted: Partial<ScanWanted> = {},
  ): Promise<ScannedProfile[]> => {
    const found: ScannedProfile[] = [];
    for await (const each of reader().scanInOrder(wantedOf(wanted), path, limit()))
      found.push(...each);
    return found;
  };

  it('gives every profile, by ids and by every property that has an order, as the list of profiles does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(cells, { minLength: 9, maxLength: 9 }),
        fc.integer({ min: 1, max: 10 }),
        fc.constantFrom('3', '-1', '0'),
        async (drawn, size, value) => {
          await stage().empty();
          await stage().putProfiles(profilesOf(drawn.map(recordOfCells)));
          const filter = filterOf({ property: 'i8', operator: 'is not', values: [value] });
          const { matches } = compileFilter(filter, schema);
          const listed = async (path: string) => {
            const order = { path, isDescending: false };
            const wanted = { ...wantedOf(), order, limit: 100, isCounted: false };
            const { profiles } = await reader().profiles(wanted, limit());
            return profiles.map(({ id, attributes }) => ({
              id,
              attributes: matches(attributes) ? attributes : null,
            }));
          };
          const byId = [...(await listed('i8'))].sort((one, other) => (one.id < other.id ? -1 : 1));
          expect(await scanned({ filter }, size)).toEqual(byId);
          expect(await reader().countProfiles(limit())).toBe(9);
          for (const { path } of SORTABLE)
            expect(await inOrder(path.join('.'), { filter })).toEqual(await listed(path.join('.')));
        },
      ),
      { numRuns: Math.ceil(limits.runs / 3), endOnFailure: true },
    );
  });

  it('compares long texts as a whole, and gives those without one last, by their ids', async () => {
    const texts = [0, null, 2, 3, null, 5].map((n) =>
      n === null ? recordWith({}) : recordWith({ text: 'x'.repeat(300) + String(9 - n) }),
    );
    await stage().putProfiles(profilesOf(texts));
    const ids = (await inOrder('text')).map(({ id }) => id);
    expect(ids).toEqual([5, 3, 2, 0, 1, 4].map(profileId));
  });

  it('reads what is wanted only, and nothing of what does not match', async () => {
    await stage().putProfiles(profilesOf(numbered(14)));
    const filter = filterOf({ property: 'i64', operator: 'is', values: ['3'] });
    const found = await scanned({ properties: part('i64'), filter }, 4);
    expect(
      found.map(({ id, attributes }) => ({ id, attributes: attributes && { ...attributes } })),
    ).toEqual(
      Array.from({ length: 14 }, (_, n) => ({
        id: profileId(n),
        attributes: n % 7 === 3 ? { i64: 3n } : null,
      })),
    );
  });

  it('is of one state in order, whatever is written meanwhile', async () => {
    await stage().putProfiles(profilesOf(numbered(60)));
    const found: ScannedProfile[] = [];
    for await (const each of reader().scanInOrder(wantedOf(), 'i64', limit())) {
      if (found.length === 0) await stage().takeProfiles(range(20, 59));
      found.push(...each);
    }
    expect(found).toHaveLength(60);
    const values = found.map(({ attributes }) => Number(attributes?.['i64']));
    expect(values).toEqual([...values].sort());
    expect(new Set(values).size).toBe(7);
  });

  it('gives large profiles in small parts', async () => {
    const text = 'ä'.repeat(500_000);
    await stage().putProfiles(
      profilesOf(Array.from({ length: 12 }, () => recordWith({ text, i64: 1n }))),
    );
    const { profiles, isLast } = await reader().scan({ ...wantedOf(), limit: 30 }, limit());
    expect(isLast).toBe(false);
    expect(profiles.length).toBeGreaterThan(1);
    expect(profiles.length).toBeLessThan(8);
    expect(await inOrder('i64', { properties: part('text') })).toHaveLength(12);
  });

  it('gives the session up where it is not read to its end, and others go on', async () => {
    await stage().putProfiles(profilesOf(numbered(30)));
    for (let round = 0; round < 4; round += 1)
      for await (const each of reader().scanInOrder(wantedOf(), 'i64', limit())) {
        expect(each.length).toBeGreaterThan(0);
        break;
      }
    expect(await reader().countProfiles(limit())).toBe(30);
    const given = AbortSignal.abort();
    const aborted = async () => {
      for await (const _ of reader().scanInOrder(wantedOf(), 'i64', given)) expect(_).toBe(0);
    };
    await expect(aborted()).rejects.toMatchObject({ kind: 'unreachable' });
    expect(await reader().countProfiles(limit())).toBe(30);
  });

  it.each(['scan', 'scanInOrder'] as const)(
    '%s refuses another schema of profiles',
    async (name) => {
      const wanted = wantedOf({ profiles: { ...PROFILES, version: PROFILES.version + 1 } });
      const reading =
        name === 'scan' ? reader().scan({ ...wanted, limit: 1 }, limit()) : inOrder('i64', wanted);
      await expect(reading).rejects.toMatchObject({ kind: 'outdated' });
    },
  );
};

const ofIdentities = ({ stage, reader }: Subject): void => {
  const CONNECTION = 'c1' as ConnectionId;

  const identities = (from: number, to: number, more: Partial<PutIdentity> = {}): PutIdentity[] =>
    Array.from({ length: to - from + 1 }, (_, at) => ({
      ...{
        connection: CONNECTION,
        recordId: `u${String(from + at)}`,
        updatedAt: moment(from + at),
      },
      ...more,
    }));

  const page = (wanted: Partial<IdentitiesWanted> = {}): Promise<IdentitiesPage> =>
    reader().identities({ of: { connection: CONNECTION }, limit: 10, ...wanted }, limit());

  const ids = ({ identities: all }: IdentitiesPage) => all.map(({ recordId }) => recordId);

  const pages = async (size: number, between?: () => Promise<void>): Promise<string[]> => {
    const found: string[] = [];
    let after: string | undefined;
    for (let isLast = false; !isLast;) {
      const next = await page({ limit: size, after });
      found.push(...ids(next));
      after = next.identities.at(-1)?.place;
      ({ isLast } = next);
      await between?.();
    }
    return found;
  };

  it('have what was written of them, that which was made last first', async () => {
    const profile = profileId(1);
    await stage().putIdentities([
      ...identities(1, 1, { anonymousIds: ['a', 'b'] }),
      ...identities(2, 2, { anonymous: true, profile }),
    ]);
    const place = expect.stringMatching(/^\d+$/) as string;
    const common = { place, connection: CONNECTION, pipeline: 'p' };
    expect(await page()).toEqual({
      isLast: true,
      identities: [
        {
          ...{ ...common, recordId: 'u2', anonymous: true, anonymousIds: [], profile },
          updatedAt: moment(2),
        },
        {
          ...{ ...common, recordId: 'u1', anonymous: false, anonymousIds: ['a', 'b'] },
          ...{ profile: null, updatedAt: moment(1) },
        },
      ],
    });
  });

  it('are none of other connections', async () => {
    await stage().putIdentities(identities(1, 3, { connection: 'another' }));
    expect(await page()).toEqual({ identities: [], isLast: true });
    const other = { of: { connection: 'another' as ConnectionId } };
    expect(ids(await page(other))).toEqual(['u3', 'u2', 'u1']);
    const quoted = { of: { connection: `another' OR '' = '` as ConnectionId } };
    expect(ids(await page(quoted))).toEqual([]);
  });

  it.each([4, 5, 6])('are whole in pages of %i while others are written', async (size) => {
    await stage().putIdentities(identities(1, 5));
    let next = 100;
    const found = await pages(size, async () => {
      await stage().putIdentities(identities(next, next + 3));
      next += 10;
    });
    expect(found).toEqual(['u5', 'u4', 'u3', 'u2', 'u1']);
  });

  it.each([499, 500, 501])('have the first 500 of %i anonymous ids', async (many) => {
    const anonymousIds = Array.from({ length: many }, (_, at) => `a${String(at + 1)}`);
    await stage().putIdentities(identities(1, 1, { anonymousIds }));
    const [identity] = (await page()).identities;
    expect(identity?.anonymousIds).toEqual(anonymousIds.slice(0, 500));
  });

  it.each([99, 100, 101])('have the first 100,000 bytes of %i anonymous ids', async (many) => {
    const anonymousIds = Array.from({ length: many }, () => 'é'.repeat(500));
    await stage().putIdentities(identities(1, 1, { anonymousIds }));
    expect((await page()).identities[0]?.anonymousIds).toHaveLength(Math.min(many, 100));
  });

  it('come in shorter pages when they are large', async () => {
    const anonymousIds = Array.from({ length: 90 }, () => 'x'.repeat(1_000));
    await stage().putIdentities(identities(1, 9, { anonymousIds }));
    expect((await page()).identities.length).toBeLessThan(9);
    expect(await pages(9)).toHaveLength(9);
  });

  it('of a profile are listed in the same way', async () => {
    const [mine, others] = [profileId(1), profileId(2)];
    await stage().putIdentities([
      ...identities(1, 3, { profile: mine }),
      ...identities(4, 4, { profile: others }),
      ...identities(5, 5, { profile: mine, connection: 'another' }),
      ...identities(6, 6),
    ]);
    const of = { profile: mine };
    const first = await page({ of, limit: 3 });
    expect(first).toMatchObject({ isLast: false });
    expect(ids(first)).toEqual(['u5', 'u3', 'u2']);
    expect(first.identities[0]).toMatchObject({ connection: 'another', profile: mine });
    const second = await page({ of, limit: 3, after: first.identities.at(-1)?.place });
    expect({ isLast: second.isLast, ids: ids(second) }).toEqual({ isLast: true, ids: ['u1'] });
    const nobody = { profile: profileId(3) };
    expect(await page({ of: nobody })).toEqual({ identities: [], isLast: true });
  });
};

const TIME = '2026-03-01T09:30:00.123Z';
const BY_TIME = { path: 'timestamp', isDescending: true };

const ofEvents = ({ stage, reader, limits }: Subject): void => {
  const event = (messageId: string, more: object = {}): RecordValue =>
    eventCodec.parse(
      JSON.stringify({
        ...{ connectionId: 'c', anonymousId: 'a', messageId, type: 'track', event: 'e' },
        ...{ receivedAt: TIME, sentAt: TIME, originalTimestamp: TIME, timestamp: TIME },
        ...{ traits: {}, ...more },
      }),
    );

  const put = (...events: readonly RecordValue[]): Promise<void> =>
    stage().putEvents(events.map((each) => ({ event: each })));

  /** Events `m0` to `m<count - 1>`, each a second after the one before, by turns of two profiles. */
  const many = (count: number, from = 0, more: object = {}): Promise<void> =>
    stage().putEvents(
      Array.from({ length: count }, (_, at) => {
        const n = from + at;
        const timestamp = new Date(Date.parse('2026-03-01T09:30:00Z') + n * 1_000).toISOString();
        return {
          event: event(`m${String(n)}`, { timestamp, traits: { n }, ...more }),
          profile: profileId(n % 2),
        };
      }),
    );

  const down = (from: number, to: number, step = 1): string[] =>
    Array.from({ length: Math.floor((from - to) / step) + 1 }, (_, at) => `m${from - at * step}`);

  const page = (wanted: Partial<EventsWanted> = {}): Promise<EventsPage> =>
    reader().events(
      {
        ...{ properties: EVENT_SCHEMA, filter: null, order: BY_TIME, from: null, to: null },
        ...{ limit: 100, ...wanted },
      },
      limit(),
    );

  const pages = async (
    wanted: Partial<EventsWanted>,
    between?: () => Promise<void>,
  ): Promise<EventsPage[]> => {
    const found: EventsPage[] = [];
    let after: string | undefined;
    do {
      const next = await page({ ...wanted, after });
      found.push(next);
      after = next.next;
      await between?.();
    } while (after !== undefined);
    return found;
  };

  const ids = (found: readonly EventsPage[]): unknown[] =>
    found.flatMap(({ events }) => events.map((each) => each.event['messageId']));

  const eventFilterOf = (logical: 'and' | 'or', ...conditions: readonly object[]): Filter =>
    parseFilter(parseJson(JSON.stringify({ logical, conditions })), EVENT_SCHEMA, 'SourceEvent');

  it('have all of their members, and none that they do not have', async () => {
    const context = {
      app: { name: 'App', version: '1' },
      device: { adTrackingEnabled: false },
      ip: '2001:db8::1',
      location: { latitude: -0.5 },
      screen: { width: 320, density: 2.5 },
      session: { id: 9_007_199_254_740_991, start: true },
    };
    const full = event('full', {
      ...{ userId: 'u', properties: { n: 1, x: ['é'] }, context, traits: { a: null } },
    });
    const bare = event('bare', { timestamp: '2026-03-01T09:29:00.000Z' });
    await stage().putEvents([{ event: full, profile: profileId(1) }, { event: bare }]);
    const told = (record: RecordValue) =>
      JSON.parse(writeJson(valueToJson(EVENT_SCHEMA, record))) as object;
    const { events, next } = await page();
    expect(next).toBeUndefined();
    expect(events.map((each) => [each.profile, told(each.event)])).toEqual([
      [profileId(1), told(full)],
      [null, told(bare)],
    ]);
    expect(Object.keys(told(bare))).not.toContain('context');
  });

  it.each([4, 5, 6])(
    'are whole in pages of %i, the newest first, while others are written',
    async (size) => {
      await many(5);
      let next = 1_000;
      const found = await pages({ limit: size }, async () => {
        await many(3, next);
        next += 10;
      });
      expect(ids(found)).toEqual(down(4, 0));
      const oldest = await page({ limit: 5, order: { ...BY_TIME, isDescending: false } });
      expect(ids([oldest])).toEqual(down(4, 0).reverse());
    },
  );

  it('with equal times go by connection and message id, by code points', async () => {
    const places = [
      ['c', '\u{1f600}'],
      ['c', 'B'],
      ['c', 'a'],
      ['b', 'z'],
      ['c', '\uffff'],
    ] as const;
    await put(...places.map(([connectionId, messageId]) => event(messageId, { connectionId })));
    for (const isDescending of [true, false])
      expect(ids(await pages({ limit: 2, order: { ...BY_TIME, isDescending } }))).toEqual([
        ...['z', 'B', 'a', '\uffff', '\u{1f600}'],
      ]);
  });

  it('are ordered by other members, those without a value last', async () => {
    const apps = [undefined, 'b', 'a', undefined, 'b'];
    await put(
      ...apps.map((name, at) =>
        event(`m${String(at)}`, name === undefined ? {} : { context: { app: { name } } }),
      ),
    );
    const by = (isDescending: boolean) =>
      pages({ limit: 2, order: { path: 'context.app.name', isDescending } });
    expect(ids(await by(false))).toEqual(['m2', 'm1', 'm4', 'm0', 'm3']);
    expect(ids(await by(true))).toEqual(['m1', 'm4', 'm2', 'm0', 'm3']);
  });

  it('are those of a profile, and of a time', async () => {
    await many(10);
    expect(ids(await pages({ limit: 2, profile: profileId(1) }))).toEqual(down(9, 1, 2));
    const at = (second: number) => `2026-03-01T09:30:0${String(second)}.000Z` as Instant;
    expect(ids([await page({ from: at(3), to: at(6) })])).toEqual(down(5, 3));
    expect(ids([await page({ from: at(6), to: at(3) })])).toEqual([]);
  });

  it('have the wanted members', async () => {
    await many(1);
    const properties = {
      ...EVENT_SCHEMA,
      properties: EVENT_SCHEMA.properties.filter(({ name }) => name === 'type'),
    };
    const [found] = (await page({ properties })).events;
    expect(found?.event).toEqual({ type: 'track' });
  });

  it('come in shorter pages when they are large', async () => {
    await many(8, 0, { name: 'x'.repeat(300_000) });
    const found = await pages({ limit: 8 });
    expect(found.map(({ events }) => events.length)).toEqual([2, 2, 2, 2]);
    expect(ids(found)).toEqual(down(7, 0));
    const filter = eventFilterOf('and', {
      property: 'traits.n',
      operator: 'is not',
      values: ['5'],
    });
    const checked = await pages({ limit: 8, filter });
    expect(ids(checked)).toEqual(down(7, 0).filter((id) => id !== 'm5'));
    expect(checked.length).toBeGreaterThan(1);
  });

  const json = fc.constantFrom(
    ...['null', '{}', '[]', '""', '5', '5.0', '"5"', '1e3', '1000', '"2026-03-01"', 'true'],
    ...['[5,"5"]', '{"a":5}', '{"a":"x"}', '{"a":null}', '{"a":{"b":"xy"}}'],
    '{"a":"2026-03-01T10:00:00+01:00"}',
  );
  const insides = fc.constantFrom('properties', 'properties.a', 'properties.a.b', 'traits.a');
  const texts = fc.constantFrom(
    '5',
    'x',
    'y',
    '1000.0',
    '2026-03-01',
    '2026-03-01T09:00:00Z',
    '1e3',
  );

  const condition = fc.oneof(
    fc.record({
      property: insides,
      operator: fc.constantFrom(
        ...['is', 'is not', 'is less than', 'is greater than or equal to', 'contains'],
        ...['does not contain', 'starts with', 'ends with'],
      ),
      values: fc.tuple(texts),
    }),
    fc.record({
      property: insides,
      operator: fc.constantFrom('is before', 'is on or after'),
      values: fc.constant(['2026-03-01T09:00:00Z']),
    }),
    fc.record({
      property: insides,
      operator: fc.constantFrom('is null', 'is not null', 'is empty', 'is true', 'is false'),
    }),
    fc.record({
      property: fc.constantFrom('properties.a', 'context.app'),
      operator: fc.constantFrom('exists', 'does not exist'),
    }),
    fc.record({
      property: fc.constantFrom('userId', 'channel'),
      operator: fc.constantFrom('is', 'is not'),
      values: fc.tuple(texts),
    }),
  );
  const logical = fc.constantFrom('and' as const, 'or' as const);
  const conditions = fc.array(condition, { minLength: 1, maxLength: 3 });

  it('are filtered as the library of filters does, inside JSON too, in pages of any size', async () => {
    const drawn = fc.record({
      rows: fc.array(fc.tuple(json, fc.option(texts, { nil: undefined })), {
        ...{ minLength: 12, maxLength: 12 },
      }),
      filters: fc.array(fc.tuple(logical, conditions), { minLength: 12, maxLength: 12 }),
      size: fc.integer({ min: 2, max: 13 }),
    });
    await fc.assert(
      fc.asyncProperty(drawn, async ({ rows, filters, size }) => {
        await stage().empty();
        await put(
          ...rows.map(([properties, userId], at) =>
            event(`m${String(at).padStart(2, '0')}`, {
              ...{ properties: JSON.parse(properties) as unknown, userId },
            }),
          ),
        );
        const { events } = await page();
        for (const [joined, all] of filters) {
          const filter = eventFilterOf(joined, ...all);
          const { matches } = compileFilter(filter, EVENT_SCHEMA);
          const expected = events.filter((each) => matches(each.event));
          expect([filter, ids(await pages({ filter, limit: size }))]).toEqual([
            filter,
            expected.map((each) => each.event['messageId']),
          ]);
        }
      }),
      { numRuns: Math.ceil(limits.runs / 2), endOnFailure: true },
    );
  });
};

const ofLinks = ({ stage, reader }: Subject): void => {
  const profile = profileId(1);

  it('tell who is joined directly, by which rule and value, page by page', async () => {
    const records = ['anna', 'bert', 'cleo', 'visitor', 'dora', 'emil'];
    await stage().putIdentities(
      records.map((recordId) => ({
        ...{ connection: 'c', recordId, profile, updatedAt: moment(0) },
        anonymous: recordId === 'visitor',
      })),
    );
    const wanted = { of: { profile }, limit: 10 };
    const { identities } = await reader().identities(wanted, limit());
    const placeOf = (recordId: string): string =>
      identities.find((each) => each.recordId === recordId)?.place ?? '';
    const key = (recordId: string, kind: string, text: string, mask = 0) => ({
      ...{ identity: placeOf(recordId), kind, key: text, mask },
    });
    await stage().putKeys([
      ...records
        .filter((recordId) => recordId !== 'visitor')
        .map((recordId) => key(recordId, 'k', `=c ${recordId}`)),
      // By an identifier: two have the value; a third one has a value of higher priority, as one of them does.
      ...['anna', 'bert'].map((recordId) => key(recordId, 'd1', "=it's \\ 100%")),
      ...[key('cleo', 'd2', '=x', 1), key('anna', 'd2', '=x', 1), key('bert', 'd2', '=x', 2)],
      // The visitor, and whoever owns it; a claim joins nobody.
      ...[key('visitor', 'n', '=c visitor'), key('cleo', 'n', '=c visitor', 1)],
      key('dora', 'o', '=c visitor'),
      // An id that was given as a previous one.
      key('emil', 'p', '=c dora'),
      // A value that is too long to be kept twice.
      ...['dora', 'emil'].map((recordId) => key(recordId, 'd0', '#hash')),
    ]);
    const identifiers = ['email', 'phone', 'code'];
    const found: unknown[] = [];
    let after: string | undefined;
    for (let isLast = false; !isLast;) {
      const next = await reader().links({ profile, identifiers, limit: 2, after }, limit());
      for (const { rule, identifier, value, identities: linked, count } of next.links)
        found.push([rule, identifier, value, linked.map(({ recordId }) => recordId), count]);
      after = next.links.at(-1)?.place;
      ({ isLast } = next);
    }
    expect(found).toEqual([
      ['b', null, 'visitor', ['cleo', 'visitor'], 2],
      ['c', null, 'dora', ['dora', 'emil'], 2],
      ['d', 'email', null, ['dora', 'emil'], 2],
      ['d', 'phone', "it's \\ 100%", ['anna', 'bert'], 2],
      ['d', 'code', 'x', ['anna', 'bert', 'cleo'], 3],
    ]);
    const nobody = { profile: profileId(3), identifiers, limit: 2 };
    expect(await reader().links(nobody, limit())).toEqual({ links: [], isLast: true });
  });
};

const ofHistory = ({ stage, reader }: Subject): void => {
  const created = (id: string): ProfileFact =>
    ({ type: 'ProfileCreated', id, identities: 1 }) as never;

  it('tells what has happened to a profile, in the order of its times, then of its numbers', async () => {
    const [mine, other] = [profileId(1), profileId(2)];
    const past = (number: number, at: number, profile = mine) => ({
      ...{ profile, number, at: moment(at), fact: created(`f${String(number)}`) },
    });
    await stage().putHistory([past(3, 1), past(1, 5), past(2, 5), past(4, 2, other), past(5, 4)]);
    const found: unknown[] = [];
    let after: string | undefined;
    for (let isLast = false; !isLast;) {
      const next = await reader().history({ profile: mine, limit: 2, after }, limit());
      found.push(...next.past.map(({ at, fact }) => [at, fact]));
      after = next.past.at(-1)?.place;
      ({ isLast } = next);
    }
    expect(found).toEqual([
      [moment(1), created('f3')],
      [moment(4), created('f5')],
      [moment(5), created('f1')],
      [moment(5), created('f2')],
    ]);
    const nobody = { profile: profileId(3), limit: 2 };
    expect(await reader().history(nobody, limit())).toEqual({ past: [], isLast: true });
  });
};

const ofResolved = ({ stage, reader }: Subject): void => {
  const resolved = <T>(work: (state: ResolvedState) => Promise<T>): Promise<T> =>
    reader().resolved(work, limit());

  const all = async <Row>(found: AsyncIterable<readonly Row[]>): Promise<Row[]> => {
    const rows: Row[] = [];
    for await (const each of found) rows.push(...each);
    return rows;
  };

  const identity = (recordId: string, profile?: string): PutIdentity => ({
    ...{ connection: 'c', recordId, updatedAt: moment(0) },
    ...(profile !== undefined && { profile }),
  });

  const fact = (id: string): ProfileFact => ({ type: 'ProfileDeleted', id }) as never;

  it('has what resolutions have made, each once and in its order', async () => {
    const [one, two] = [profileId(1), profileId(2)];
    await stage().putProfiles(profilesOf(numbered(2), 1));
    await stage().putAliases([[profileId(9), one]]);
    await stage().putIdentities([identity('a', two), identity('b'), identity('c', one)]);
    const past = (number: number, profile: string) => ({
      ...{ profile, number, at: moment(number), fact: fact(profile) },
    });
    await stage().putHistory([past(2, two), past(1, two), past(3, one)]);
    await stage().putResolved({
      facts: [fact(one), fact(two)],
      unresolved: [
        [5, null],
        [4, two],
        [3, one],
      ],
    });
    await resolved(async (state) => {
      const identities = await all(state.identities());
      expect(identities.map(({ profile }) => profile)).toEqual([two, null, one]);
      const numbers = identities.map(({ number }) => number);
      expect(numbers).toEqual([...numbers].sort((first, second) => first - second));
      expect(await all(state.profiles())).toEqual([
        { profile: one, identities: 1 },
        { profile: two, identities: 1 },
      ]);
      expect(await all(state.aliases())).toEqual([{ alias: profileId(9), profile: one }]);
      expect(await all(state.history())).toEqual([
        { profile: one, number: 3 },
        { profile: two, number: 1 },
        { profile: two, number: 2 },
      ]);
      expect(await all(state.unresolved())).toEqual([{ profile: one }, { profile: two }]);
      const facts = await all(state.facts());
      expect(facts.map((each) => each.fact)).toEqual([fact(one), fact(two)]);
      const { madeAtMs, newest } = await state.head();
      expect(Math.abs(madeAtMs - Date.now())).toBeLessThan(3_600_000);
      expect(facts.every(({ atMs }) => atMs >= madeAtMs)).toBe(true);
      expect(newest).toBe(Math.max(3, Number(facts.at(-1)?.number)));
    });
  });

  it('sees one moment, also in what it reads later', async () => {
    await stage().putProfiles(profilesOf(numbered(3)));
    await resolved(async (state) => {
      const { newest } = await state.head();
      expect(newest).toBeUndefined();
      await stage().takeProfiles(range(0, 2));
      await stage().putIdentities([identity('a')]);
      await stage().putResolved({ facts: [fact(profileId(1))], unresolved: [] });
      expect(await all(state.profiles())).toHaveLength(3);
      expect(await all(state.identities())).toEqual([]);
      expect(await all(state.facts())).toEqual([]);
      expect(await state.head()).toMatchObject({ newest });
    });
    expect(await resolved((state) => all(state.profiles()))).toEqual([]);
  });

  it('goes on after work that has failed, and ends when it is given up', async () => {
    await expect(resolved(() => Promise.reject(new TypeError('a mistake')))).rejects.toThrow();
    expect(await resolved((state) => all(state.profiles()))).toEqual([]);
    const given = reader().resolved((state) => state.head(), AbortSignal.abort());
    await expect(given).rejects.toMatchObject({ kind: 'unreachable' });
    expect(await resolved((state) => all(state.profiles()))).toEqual([]);
  });
};

const ofFences = ({ stage, reader }: Subject): void => {
  const count = (other: WarehouseReader = reader()): Promise<number> =>
    other.countProfiles(limit());
  const inOrder = (): AsyncIterable<unknown> =>
    reader().scanInOrder({ profiles: PROFILES, properties: schema, filter: null }, 'i64', limit());

  it('reads nothing of another workspace, of a newer layout, or without its schema', async () => {
    await expect(count(await stage().reader({ workspace: OTHER }))).rejects.toMatchObject({
      kind: 'foreign',
    });
    await stage().mark({ layout: 1_000 });
    await expect(count()).rejects.toMatchObject({ kind: 'newer' });
    await stage().empty();
    await stage().mark({ schemaVersion: PROFILES.version + 1 });
    const wanted = { profiles: PROFILES, properties: schema, id: profileId(0) };
    await expect(reader().profile(wanted, limit())).rejects.toMatchObject({ kind: 'outdated' });
    expect(await count()).toBe(0);
  });

  it('reads nothing where readers of its epoch are kept out, in any way', async () => {
    await stage().keepOut(2);
    const fenced = { kind: 'fenced' };
    await expect(count()).rejects.toMatchObject(fenced);
    await expect(reader().resolved((state) => state.head(), limit())).rejects.toMatchObject(fenced);
    const scanning = async () => {
      for await (const each of inOrder()) expect(each).toBeUndefined();
    };
    await expect(scanning()).rejects.toMatchObject(fenced);
    expect(await count(await stage().reader({ epoch: 2 }))).toBe(0);
  });

  it('ends when it is given up, and others go on', async () => {
    await expect(reader().countProfiles(AbortSignal.abort())).rejects.toMatchObject({
      kind: 'unreachable',
    });
    expect(await count()).toBe(0);
  });
};

/** What every reader of warehouses promises. */
export const readerContract = (stage: () => ReadStage, limits: ReadLimits): void => {
  let reader: WarehouseReader;
  beforeAll(async () => {
    reader = await stage().reader();
  });
  beforeEach(() => stage().empty());
  const subject: Subject = { stage, reader: () => reader, limits };
  describe('a profile', () => {
    ofProfiles(subject);
  });
  describe('profiles of a list', () => {
    ofLists(subject);
  });
  describe('a scan', () => {
    ofScans(subject);
  });
  describe('identities', () => {
    ofIdentities(subject);
  });
  describe('events', () => {
    ofEvents(subject);
  });
  describe('links', () => {
    ofLinks(subject);
  });
  describe('the history', () => {
    ofHistory(subject);
  });
  describe('the resolved state', () => {
    ofResolved(subject);
  });
  describe('a reader', () => {
    ofFences(subject);
  });
};

/** Options of a reader of the workspace. */
export const READER_OPTIONS = { workspace: MINE, epoch: 1, connections: 2 } as const;
