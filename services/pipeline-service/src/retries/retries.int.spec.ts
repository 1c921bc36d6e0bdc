import type { BeginRequest, Begun } from '@penstock/contracts';
import { CreateEventStore1700000000000 } from '@penstock/event-sourcing';
import { type FreshDatabase, freshDatabase } from '@penstock/test-servers';
import { DataSource } from 'typeorm';
import { forgetOldRequests, Retries } from './retries';
import { CreateRetries1700000000011 } from './retries.migration';

jest.setTimeout(60_000);

let server: FreshDatabase;
let database: DataSource;
let retries: Retries;

beforeAll(async () => {
  server = await freshDatabase();
  database = new DataSource({
    type: 'postgres',
    url: server.url,
    schema: 'penstock',
    migrations: [CreateEventStore1700000000000, CreateRetries1700000000011],
  });
  await database.initialize();
  await database.query('CREATE SCHEMA IF NOT EXISTS penstock');
  await database.runMigrations();
  retries = new Retries(database.manager);
});
beforeEach(() => database.query('TRUNCATE penstock.retries'));
afterAll(async () => {
  await database.destroy();
  await server.drop();
});

type Input = BeginRequest;
const begin = (holder: string, changes: Partial<Input> = {}): Promise<Begun> =>
  retries.begin({ in: { key: 'k', digest: 'd', holder, ...changes } } as never);
const end = (holder: string, answer: string | null) =>
  retries.end({ in: { key: 'k', holder, answer } } as never);
const later = (interval: string) =>
  database.query(
    `UPDATE penstock.retries SET begun_at = begun_at - $1::interval, held_until = held_until - $1::interval`,
    [interval],
  );

it('lets one of many holders handle a request', async () => {
  const begun = await Promise.all(Array.from({ length: 20 }, (_, n) => begin(`h${String(n)}`)));
  expect(begun.filter(({ is }) => is === 'first')).toHaveLength(1);
  expect(begun.filter(({ is }) => is === 'underWay')).toHaveLength(19);
});

it('returns the answer to repetitions, and not to a request with other content', async () => {
  await begin('a');
  await end('a', 'sealed');
  expect(await begin('b')).toEqual({ is: 'answered', answer: 'sealed' });
  expect(await begin('b', { digest: 'e' })).toEqual({ is: 'another' });
  expect(await begin('b', { key: 'l' })).toEqual({ is: 'first', commandId: 'b' });
});

it('recognises a request with other content, also while the first is under way', async () => {
  await begin('a');
  expect(await begin('b', { digest: 'e' })).toEqual({ is: 'another' });
});

it('lets the next holder handle a request that ended without an answer, under the same command id', async () => {
  expect(await begin('a')).toEqual({ is: 'first', commandId: 'a' });
  await end('a', null);
  expect(await begin('b')).toEqual({ is: 'first', commandId: 'a' });
  expect(await begin('c')).toEqual({ is: 'underWay' });
});

it('lets the next holder take over from one that has died, whose later answer is ignored', async () => {
  await begin('a');
  await later('59 seconds');
  expect(await begin('b')).toEqual({ is: 'underWay' });
  await later('2 seconds');
  expect(await begin('b')).toEqual({ is: 'first', commandId: 'a' });
  await end('a', 'late');
  expect(await begin('c')).toEqual({ is: 'underWay' });
  await end('b', 'in time');
  expect(await begin('c')).toEqual({ is: 'answered', answer: 'in time' });
});

it('gives the same answer to a message that is delivered twice', async () => {
  expect(await begin('a')).toEqual(await begin('a'));
});

it('forgets after a day', async () => {
  await begin('a');
  await end('a', 'sealed');
  await later('23 hours 59 minutes');
  expect(await begin('b')).toEqual({ is: 'answered', answer: 'sealed' });
  await later('2 minutes');
  expect(await begin('b', { digest: 'e' })).toEqual({ is: 'first', commandId: 'b' });
  await later('1 day');
  await forgetOldRequests(database.manager);
  expect(await database.query('SELECT FROM penstock.retries')).toEqual([]);
});
