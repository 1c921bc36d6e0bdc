import { compileCodec, destinationView, parseJson } from '@penstock/schema';
import { type FreshDatabase, freshDatabase } from '@penstock/test-servers';
import { Pool } from 'pg';
import type { Settings } from '../connector/connector';
import type { UserQuery } from '../connector/user-source';
import { createGuardedHttp } from '../egress/undici-guarded-http';
import { aContext } from '../outgoing-event.fixture';
import { itKeepsTheUserSourcePromises } from '../users/user-source.conformance';
import { dummyConnector } from './dummy-connector';
import { DummyStore } from './dummy-store';
import { DUMMY_USER, DUMMY_USER_TO_WRITE } from './dummy-user-schemas';
import { dummyUserDestination } from './dummy-user-destination';
import { dummyUserSource } from './dummy-users';

let database: FreshDatabase;
let pool: Pool;

/** The database is made later than the tables of cases. */
const lazily = {
  query: (...args: unknown[]): unknown => Reflect.apply(pool.query, pool, args),
  connect: () => pool.connect(),
} as Pool;
const store = new DummyStore(lazily);
const source = dummyUserSource(store);
const destination = dummyUserDestination(store);

beforeAll(async () => {
  database = await freshDatabase();
  pool = new Pool({ connectionString: database.url });
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

const settingsFrom = (plain: object): Settings =>
  dummyConnector(store).checkSettings(parseJson(JSON.stringify(plain)), 'Source');

describe('the users', () =>
  itKeepsTheUserSourcePromises({
    source,
    settings: settingsFrom({ userCount: 25, pageSize: 10 }),
    count: 25,
  }));

const http = createGuardedHttp({ allow: [] });

afterAll(() => http.close());

const read = (plain: object, query: Partial<UserQuery> = {}, signal?: AbortSignal) =>
  source.read(
    { schema: DUMMY_USER, changedSince: null, cursor: '', ...query },
    settingsFrom(plain),
    aContext(http, signal),
  );

const idsOf = async (plain: object, query?: Partial<UserQuery>): Promise<unknown> => {
  const answer = await read(plain, query);
  if (answer.kind !== 'answered') return answer;
  const { users, next } = answer.value;
  return [users.map(({ id }) => id).join(' '), next];
};

it.each<[title: string, settings: object, query: Partial<UserQuery>, expected: unknown]>([
  ['none', { userCount: 0 }, {}, ['', null]],
  ['one', { userCount: 1 }, {}, ['dummy-1', null]],
  ['a page', { userCount: 2, pageSize: 2 }, {}, ['dummy-1 dummy-2', null]],
  ['more than a page', { userCount: 3, pageSize: 2 }, {}, ['dummy-1 dummy-2', '3']],
  ['the second page', { userCount: 3, pageSize: 2 }, { cursor: '3' }, ['dummy-3', null]],
  ['beyond the end', { userCount: 3 }, { cursor: '4' }, ['', null]],
  [
    'all when the time is before any',
    { userCount: 1 },
    { changedSince: '2023-12-31T00:00:00Z' },
    ['dummy-1', null],
  ],
  [
    'those of the very time',
    { userCount: 3, pageSize: 1 },
    { changedSince: '2024-01-01T00:00:02Z' },
    ['dummy-2', '3'],
  ],
  [
    'those after a time',
    { userCount: 3 },
    { changedSince: '2024-01-01T00:00:02.001Z' },
    ['dummy-3', null],
  ],
  [
    'none since a late time',
    { userCount: 3 },
    { changedSince: '2024-01-01T00:00:04Z' },
    ['', null],
  ],
])('gives %s', async (_, settings, query, expected) => {
  expect(await idsOf(settings, query)).toEqual(expected);
});

it.each(['0', '-1', 'x', '01', '10000000', ' 1'])('has no page %j', async (cursor) => {
  expect(await read({}, { cursor })).toEqual({ kind: 'rejected', reason: 'no such page' });
});

it('has users who are always the same, some with less than others', async () => {
  const answer = await read({ userCount: 7 });
  const users = answer.kind === 'answered' ? answer.value.users : [];
  const codec = compileCodec(DUMMY_USER);
  expect([users[0], users[6]].map((user) => user && codec.encode(user.values))).toEqual([
    '{"dummyId":"dummy-1","email":"user-1@example.com","firstName":"Alan","lastName":"Hoare",' +
      '"fullName":"Alan Hoare","favouriteDrink":"beer",' +
      '"address":{"street":"1 Main Street","postal_code":"10001","city":"Oslo"}}',
    '{"dummyId":"dummy-7","email":"user-7@example.com","firstName":null,"lastName":null,' +
      '"fullName":null,"favouriteDrink":"wine",' +
      '"address":{"street":"7 Main Street","postal_code":"10007","city":"Vienna"}}',
  ]);
  expect(users.map(({ values }) => 'favourite_movie' in values)).toEqual(
    [1, 2, 3, 4, 5, 6, 7].map((n) => n % 2 === 0),
  );
  expect(users.map(({ updatedAt }) => updatedAt)[6]).toBe('2024-01-01T00:00:07Z');
});

it('is given up while it waits for a late answer', async () => {
  expect(await read({ operationDelay: '24h' }, {}, AbortSignal.timeout(50))).toEqual({
    kind: 'unavailable',
    reason: 'request was given up',
  });
});

it('has another schema for what is written', async () => {
  const schema = await destination.schema(settingsFrom({}), aContext(http));
  expect(schema).toEqual({ kind: 'answered', value: DUMMY_USER_TO_WRITE });
  expect(DUMMY_USER_TO_WRITE).toEqual(destinationView(DUMMY_USER_TO_WRITE));
  const flags = (given: typeof DUMMY_USER) =>
    given.properties.map(({ name, createRequired, readOptional, nullable }) =>
      [name, createRequired && 'required', readOptional && 'optional', nullable && 'null']
        .filter(Boolean)
        .join(' '),
    );
  const both = ['firstName null', 'lastName null', 'fullName null', 'favouriteDrink null'];
  expect(flags(DUMMY_USER)).toEqual([
    'dummyId',
    'email',
    ...both,
    'favourite_movie optional',
    'address',
  ]);
  expect(flags(DUMMY_USER_TO_WRITE)).toEqual([
    'email required',
    ...both,
    'favourite_movie',
    'address',
    'additionalProperties',
  ]);
});
