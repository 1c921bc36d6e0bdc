import fc from 'fast-check';
import { parseJson, type Value } from '@penstock/schema';
import { type FreshDatabase, freshDatabase } from '@penstock/test-servers';
import { Pool } from 'pg';
import type { Settings } from '../connector/connector';
import type { UpsertResult, UserLookUp } from '../connector/user-destination';
import type { UserPage } from '../connector/user-source';
import { createGuardedHttp } from '../egress/undici-guarded-http';
import { aContext, aRecord } from '../outgoing-event.fixture';
import { partOf, valueOf } from '../users/reading.fixture';
import { itKeepsTheUserDestinationPromises } from '../users/user-destination.conformance';
import { dummyConnector } from './dummy-connector';
import { DummyStore } from './dummy-store';
import { dummyUserDestination } from './dummy-user-destination';
import { DUMMY_USER, DUMMY_USER_TO_WRITE } from './dummy-user-schemas';
import { dummyUserSource } from './dummy-users';

let database: FreshDatabase;
let pool: Pool;

/** The database is made later than the tables of cases. */
const lazily = {
  query: (...args: unknown[]): unknown => Reflect.apply(pool.query, pool, args),
  connect: () => pool.connect(),
} as Pool;
const store = new DummyStore(lazily);
const destination = dummyUserDestination(store);
const source = dummyUserSource(store);
const http = createGuardedHttp({ allow: [] });

beforeAll(async () => {
  database = await freshDatabase();
  pool = new Pool({ connectionString: database.url });
});

afterAll(async () => {
  await http.close();
  await pool.end();
  await database.drop();
});

const settingsFrom = (plain: object): Settings =>
  dummyConnector(store).checkSettings(parseJson(JSON.stringify(plain)), 'Destination');

let connections = 0;
let connection: string;
beforeEach(() => {
  connections += 1;
  connection = `connection-${String(connections)}`;
});

const context = () => aContext(http, undefined, connection);

type Write = readonly [id: string | null, values: Record<string, Value>];

const upsert = (plain: object, ...writes: readonly Write[]): Promise<UpsertResult> =>
  destination.upsert(
    {
      schema: DUMMY_USER_TO_WRITE,
      users: writes.map(([id, values], n) => ({
        ...{ id, values: aRecord(values), idempotencyKey: `key-${String(n)}` },
      })),
    },
    settingsFrom(plain),
    context(),
  );

const outcomesOf = (result: UpsertResult): string[] =>
  result.kind === 'answered'
    ? result.outcomes.map((each) => (each.kind === 'written' ? 'written' : each.reason))
    : [`${result.kind} ${result.executed}: ${result.reason}`];

const emails = async (plain: object, changedSince: string | null = null): Promise<unknown[]> => {
  const found: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const query = { schema: partOf(DUMMY_USER, 'email'), changedSince, cursor };
    const page: UserPage = valueOf(await source.read(query, settingsFrom(plain), context()));
    if (page.next !== null) expect(page.users).not.toEqual([]);
    found.push(...page.users.map(({ values }) => values['email']));
    cursor = page.next;
  }
  return found;
};

const ownLookUp = (lookUp: UserLookUp): UserLookUp => ({
  ...lookUp,
  find: (property, values, settings, given) =>
    lookUp.find(property, values, settings, { ...given, connection: context().connection }),
});

describe('the destination', () => {
  // Each test has a connection of its own.
  itKeepsTheUserDestinationPromises({
    destination: {
      ...destination,
      upsert: (batch, settings, given) =>
        destination.upsert(batch, settings, { ...given, connection: context().connection }),
      ...(destination.lookUp && { lookUp: ownLookUp(destination.lookUp) }),
    },
    settings: () => settingsFrom({ userCount: 3 }),
    schema: partOf(DUMMY_USER_TO_WRITE, 'email', 'firstName'),
    user: (n, id) => ({
      id: id ?? null,
      values: aRecord({ email: `written-${String(n)}@example.com`, firstName: `N${String(n)}` }),
      idempotencyKey: `key-${String(n)}-${id ?? 'new'}`,
    }),
    lookUp: { property: 'email', value: (n) => `written-${String(n)}@example.com` },
  });
});

describe('a user', () => {
  const FEW = { userCount: 3, pageSize: 2 };

  it.each<[string, Write, string]>([
    ['a new email', [null, { email: 'new@example.com' }], 'written'],
    [
      'the email of a generated user',
      [null, { email: 'user-3@example.com' }],
      'email already in use',
    ],
    ['an email beyond the generated users', [null, { email: 'user-4@example.com' }], 'written'],
    ['no email', [null, { firstName: 'A' }], 'email is required'],
    ['an id that is not there', ['dummy-4', { firstName: 'A' }], 'user does not exist'],
    ['an id of another form', ["dummy-1' OR 1", { firstName: 'A' }], 'user does not exist'],
    ['its own email', ['dummy-3', { email: 'user-3@example.com' }], 'written'],
    ["another's email", ['dummy-3', { email: 'user-2@example.com' }], 'email already in use'],
    [
      'NUL',
      [null, { email: 'a\0@example.com' }],
      '/email: must not hold NUL or half of a surrogate pair',
    ],
    ['what looks like NUL', [null, { email: String.raw`\u0000@example.com` }], 'written'],
  ])('with %s: %s', async (_, write, expected) => {
    expect(outcomesOf(await upsert(FEW, write))).toEqual([expected]);
  });

  it('frees the email that it no longer has', async () => {
    await upsert(FEW, ['dummy-1', { email: 'other@example.com' }]);
    const result = await upsert(FEW, [null, { email: 'user-1@example.com' }]);
    expect(outcomesOf(result)).toEqual(['written']);
  });

  it('is read as it was written, the others as they were', async () => {
    await upsert(
      FEW,
      ['dummy-2', { email: 'changed@example.com', additionalProperties: new Map([['a', 'b']]) }],
      [null, { email: 'new-1@example.com' }],
      [null, { email: 'new-2@example.com' }],
      [null, { email: 'new-3@example.com' }],
    );
    const generated = ['user-1@example.com', 'changed@example.com', 'user-3@example.com'];
    const created = [1, 2, 3].map((n) => `new-${String(n)}@example.com`);
    expect(await emails(FEW)).toEqual([...generated, ...created]);
    expect(await emails({ ...FEW, userCount: 0 })).toEqual(['changed@example.com', ...created]);
    expect(await emails(FEW, '2024-01-01T00:00:03Z')).toEqual([
      ...['user-3@example.com', 'changed@example.com'],
      ...created,
    ]);
    expect(await emails(FEW, '2999-01-01T00:00:00Z')).toEqual([]);
  });

  it('keeps the members of its address that are not written', async () => {
    await upsert(FEW, ['dummy-1', { address: aRecord({ city: 'Paris' }) }]);
    const query = { schema: partOf(DUMMY_USER, 'address'), changedSince: null, cursor: '' };
    const page = valueOf(await source.read(query, settingsFrom(FEW), context()));
    expect(page.users[0]?.values['address']).toEqual(
      aRecord({ street: '1 Main Street', postal_code: '10001', city: 'Paris' }),
    );
  });

  it.each([
    ['favouriteDrink', 'beer', ['dummy-1', 'dummy-6']],
    ['address.city', 'Oslo', ['dummy-1', 'dummy-5', 'dummy-9']],
    ['dummyId', 'dummy-7', ['dummy-7']],
    ['favourite_movie', 'nothing', []],
  ])('is found by %s %s', async (property, value, ids) => {
    const found = await destination.lookUp?.find(
      ...([property, [value], settingsFrom({}), context()] as const),
    );
    expect(found && valueOf(found).map(({ id }) => id)).toEqual(ids);
  });

  it('is counted, created or changed', async () => {
    await upsert(FEW, [null, { email: 'a@example.com' }], ['dummy-1', { firstName: 'A' }]);
    await upsert(FEW, [null, { email: 'a@example.com' }], ['dummy-2', { firstName: 'A' }]);
    expect(await store.users.counts(connection)).toEqual({
      ...{ users: 3, created: 1, updated: 2 },
    });
  });

  it('goes with its connection', async () => {
    await upsert(FEW, [null, { email: 'a@example.com' }]);
    await store.drop(connection);
    expect(await emails({ userCount: 0 })).toEqual([]);
    expect(await store.users.counts(connection)).toEqual({
      ...{ users: 0, created: 0, updated: 0 },
    });
  });
});

describe('failures of settings', () => {
  it('fail a share of users, always the same ones', async () => {
    const share = async (customerExportFailPercentage: number) => {
      connections += 1;
      connection = `connection-${String(connections)}`;
      const writes = Array.from({ length: 100 }, (_, n): Write => [
        null,
        { email: `e-${String(n)}` },
      ]);
      return outcomesOf(await upsert({ userCount: 0, customerExportFailPercentage }, ...writes));
    };
    const [none, some, again, all] = [
      ...[await share(0), await share(30), await share(30), await share(100)],
    ];
    const failed = (outcomes: readonly string[] = []): number =>
      outcomes.filter((each) => each === 'simulated failure').length;
    expect([failed(none), failed(all)]).toEqual([0, 100]);
    expect(failed(some)).toBeGreaterThan(15);
    expect(failed(some)).toBeLessThan(45);
    expect(again).toEqual(some);
  });

  it('fail the calls that they name, one user each', async () => {
    const failures = [
      { operation: 'upsert', at: 2, times: 1, status: 429 },
      { operation: 'upsert', at: 3, times: 1, status: 503 },
      { operation: 'upsert', at: 4, times: 1, status: 'timeout' },
      { operation: 'upsert', at: 5, times: 1, status: 'throw' },
      { operation: 'upsert', at: 6, times: 1, status: 422 },
      { operation: 'read', at: 1, times: 9, status: 500 },
    ];
    const results: string[] = [];
    for (let n = 1; n <= 7; n += 1) {
      const write = (k: number): Write => [null, { email: `${String(n)}-${String(k)}` }];
      const result = upsert({ failures }, write(1), write(2));
      results.push(
        ...(await result.then(outcomesOf, (error: unknown) => [(error as Error).message])),
      );
    }
    expect(results).toEqual([
      'written',
      'unavailable no: answered 429: simulated failure',
      'unavailable unknown: answered 503: simulated failure',
      'unavailable unknown: no answer within 30 s',
      'simulated failure',
      'rejected no: answered 422: simulated failure',
      'written',
    ]);
  });

  it('delay the answer, which may then be in doubt', async () => {
    const batch = {
      schema: DUMMY_USER_TO_WRITE,
      users: [{ id: null, values: aRecord({ email: 'late' }), idempotencyKey: 'key' }],
    };
    const settings = settingsFrom({ operationDelay: '24h', userCount: 0 });
    const result = await destination.upsert(batch, settings, { ...context(), timeoutMs: 50 });
    expect(outcomesOf(result)).toEqual(['unavailable unknown: no answer within 0.05 s']);
    expect(await emails({ userCount: 0 })).toEqual(['late']);
  });
});

it('keeps emails unique, whoever writes at the same time', async () => {
  const number = fc.nat(3);
  const writes = fc.array(fc.tuple(fc.boolean(), number, number), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(fc.array(writes, { minLength: 2, maxLength: 5 }), async (batches) => {
      connections += 1;
      connection = `connection-${String(connections)}`;
      const settings = { userCount: 3 };
      await Promise.all(
        batches.map((batch) =>
          upsert(
            settings,
            ...batch.map(([isNew, id, email]): Write => [
              isNew ? null : `dummy-${String(id)}`,
              { email: `user-${String(email)}@example.com` },
            ]),
          ),
        ),
      );
      const found = await emails(settings);
      expect(new Set(found).size).toBe(found.length);
    }),
    { numRuns: 25, endOnFailure: true },
  );
});
