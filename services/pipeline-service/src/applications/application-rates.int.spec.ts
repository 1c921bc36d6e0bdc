import type { GuardedHttp, UserSource } from '@penstock/connectors';
import type { SlowRequests } from '@penstock/platform';
import { parseJson, parseSchema } from '@penstock/schema';
import { type FreshDatabase, freshDatabase } from '@penstock/test-servers';
import type { EntityManager } from 'typeorm';
import { Pool } from 'pg';
import { ApplicationRates } from './application-rates';
import type { Applications } from './applications';
import { GetUserSchemas } from './get-user-schemas';
import { ListApplicationUsers } from './list-application-users';

jest.setTimeout(60_000);

const SCHEMA = '{"kind":"object","properties":[{"name":"email","type":{"kind":"string"}}]}';

/** Notes each token that is given. */
const NOTES = `
CREATE TABLE tokens (rate text);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO tokens SELECT NEW.rate FROM generate_series(1, NEW.given);
  RETURN NEW;
END $$;
CREATE TRIGGER note AFTER INSERT OR UPDATE ON penstock_rates.rates FOR EACH ROW EXECUTE FUNCTION note()`;

let database: FreshDatabase;
let pool: Pool;
let rates: ApplicationRates;
/** Calls of the application, with the tokens of the connection that had been given by then. */
let calls: (readonly [name: string, tokens: number])[];

beforeAll(async () => {
  database = await freshDatabase();
  pool = new Pool({ connectionString: database.url, max: 2 });
  const query = (text: string, values: unknown[]) =>
    pool.query(text, values).then(({ rows }) => rows as unknown[]);
  rates = new ApplicationRates({ query } as unknown as EntityManager);
  await rates.onModuleInit();
  await pool.query(NOTES);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

beforeEach(async () => {
  calls = [];
  await pool.query('DELETE FROM tokens');
});

const called = async <T>(name: string, value: T) => {
  const { rowCount } = await pool.query(`SELECT FROM tokens WHERE rate = 'connection'`);
  calls.push([name, rowCount ?? 0]);
  return { kind: 'answered' as const, value };
};

const source = {
  readsChanges: false,
  limits: () => ({ concurrency: 1, ratePerSecond: 20, burst: 1 }),
  schema: () => called('schema', parseSchema(parseJson(SCHEMA))),
  read: () => called('read', { users: [], next: null }),
} as unknown as UserSource;

const applications = {
  withUsers: () =>
    Promise.resolve({ connection: 'connection', settings: {}, source, destination: undefined }),
} as unknown as Applications;

const slow = {
  handle: (_: unknown, __: unknown, work: (until: AbortSignal) => Promise<unknown>) =>
    work(AbortSignal.timeout(30_000)),
} as unknown as SlowRequests;

it.each([
  ['GetUserSchemas', GetUserSchemas, {}, [['schema', 1]]],
  [
    'ListApplicationUsers',
    ListApplicationUsers,
    { schema: SCHEMA, filter: null, cursor: '' },
    [
      ['schema', 1],
      ['read', 2],
    ],
  ],
] as const)(
  'each call of %s takes a token of the connection first',
  async (_, Handler, input, wanted) => {
    const handler = new Handler(applications, rates, {} as GuardedHttp, slow);
    const request = { context: { workspace: 'w' }, in: { connection: 'connection', ...input } };
    await (handler.handle(request as never, {} as never) as unknown as Promise<unknown>);
    expect(calls).toEqual(wanted);
  },
);
