import { setTimeout as pause } from 'node:timers/promises';
import {
  destinationState,
  Installation,
  sourceState,
  type TestEvent,
} from './testing/installation.fixture';
import { pipelineState } from './testing/pipelines.fixture';
import { Receiver } from './testing/receiver.fixture';
import { until } from './testing/until.fixture';

jest.setTimeout(600_000);

let installation: Installation;
let receiver: Receiver;

beforeEach(async () => {
  receiver = await Receiver.open();
  installation = await Installation.open();
});

afterEach(async () => {
  await installation.close();
  await receiver.close();
});

const configure = (settings: object = {}, pipeline = pipelineState()): Promise<void> =>
  installation.configure(sourceState(), destinationState(receiver.url, settings), pipeline);

const events = (user: string, count: number): TestEvent[] =>
  Array.from({ length: count }, (_, index) => ({ user, messageId: `${user}-${index}` }));

const ids = (user: string, count: number): string[] => events(user, count).map((e) => e.messageId);

const total = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

it('delivers events that the filter matches, mapped, with all digits of numbers', async () => {
  await configure(
    {},
    pipelineState({
      eventType: 'send_values',
      filter:
        '{"logical":"and","conditions":[{"property":"event","operator":"is","values":["Buy"]}]}',
      transformation: { mapping: { properties: 'map("price", properties.price)' }, function: null },
      outSchema:
        '{"kind":"object","properties":[{"name":"properties","type":{"kind":"json"},"createRequired":true}]}',
    }),
  );
  await installation.start();
  await installation.accept(
    { user: 'a', messageId: 'm1', event: 'Buy', properties: '{"price":12345678901234567890}' },
    { user: 'a', messageId: 'm2', event: 'Look' },
  );
  await until(async () => total(await installation.counts()) === 2);
  expect(receiver.taken.map(({ body }) => body)).toEqual([{ price: 12345678901234567000 }]);
  expect(await installation.counts()).toEqual({ Delivered: 1, Filtered: 1 });
});

it('keeps the order of each key, one request at a time', async () => {
  await configure();
  await installation.start();
  await installation.accept(...events('a', 50), ...events('b', 50));
  await until(() => receiver.taken.length === 100);
  expect(receiver.of('a')).toEqual(ids('a', 50));
  expect(receiver.of('b')).toEqual(ids('b', 50));
});

it('sends many events in one request where the destination accepts that', async () => {
  await configure({ batchSize: 100 });
  await installation.start();
  await installation.accept(...events('a', 200), ...events('b', 200));
  await until(() => receiver.taken.length === 400);
  expect(receiver.requests).toBeLessThan(40);
  expect(receiver.of('a')).toEqual(ids('a', 200));
});

it('delivers a repeated message once, and counts another body under the same id separately', async () => {
  await configure();
  const router = await installation.start();
  const [first] = events('a', 1);
  await installation.accept(first!, first!);
  await until(async () => total(await installation.counts()) === 2);
  await router.close();
  await installation.start();
  await installation.accept(first!, { ...first!, event: 'Other' });
  await until(async () => total(await installation.counts()) === 4);
  expect(receiver.taken).toHaveLength(1);
  expect(await installation.counts()).toEqual({
    Delivered: 1,
    Duplicate: 2,
    'Duplicate DifferentBody': 1,
  });
});

it('delivers everything in order when a destination fails and recovers', async () => {
  await configure();
  receiver.answer = ({ anonymousId }) => (anonymousId === 'sick' ? 503 : 200);
  await installation.start({ spillAfterMs: 300 });
  await installation.accept(...events('sick', 20), ...events('well', 20));
  await until(() => receiver.of('well').length === 20);
  await until(async () => (await installation.storedDeliveries()).length === 20);
  await installation.accept(...events('sick', 30).slice(20));
  receiver.answer = () => 200;
  await until(() => receiver.of('sick').length === 30);
  expect(receiver.of('sick')).toEqual(ids('sick', 30));
  await until(async () => total(await installation.counts()) === 50);
  expect(await installation.counts()).toEqual({ Delivered: 50 });
  expect(await installation.storedDeliveries()).toEqual([]);
  expect(await installation.storedBodies()).toBe(0);
});

it('delivers stored rows after a restart before newer events of the key', async () => {
  await configure();
  receiver.answer = () => 503;
  const router = await installation.start({ spillAfterMs: 100 });
  await installation.accept(...events('a', 10));
  await until(async () => (await installation.storedDeliveries()).length === 10);
  await router.close();
  await installation.accept(...events('a', 20).slice(10));
  receiver.answer = () => 200;
  await installation.start();
  await until(() => receiver.taken.length === 20);
  expect(receiver.of('a')).toEqual(ids('a', 20));
});

it('stores at most maxRowsPerKey rows of a key, and delivers everything', async () => {
  await configure();
  receiver.answer = () => 503;
  await installation.start({ spillAfterMs: 100, maxRowsPerKey: 5 });
  await installation.accept(...events('a', 20));
  await until(async () => (await installation.storedDeliveries()).length === 5);
  await pause(500);
  expect(await installation.storedDeliveries()).toHaveLength(5);
  receiver.answer = () => 200;
  await until(() => receiver.taken.length === 20);
  expect(receiver.of('a')).toEqual(ids('a', 20));
});

it('keeps a rejected event as a dead letter, and continues with the key', async () => {
  await configure();
  receiver.answer = ({ messageId }) => (messageId === 'a-1' ? 422 : 200);
  await installation.start();
  await installation.accept(...events('a', 3));
  await until(async () => total(await installation.counts()) === 3);
  expect(receiver.of('a')).toEqual(['a-0', 'a-2']);
  expect(await installation.counts()).toEqual({ Delivered: 2, 'Rejected 422': 1 });
  expect(await installation.storedDeliveries()).toEqual([
    { state: 'Rejected', code: '422', reason: expect.stringContaining('not now') as string },
  ]);
});

it('parks events that could not be delivered before their maximum age', async () => {
  await configure();
  receiver.answer = () => 500;
  await installation.start({ spillAfterMs: 100, maxAgeMs: 400 });
  await installation.accept(...events('a', 1));
  await until(async () => total(await installation.counts()) === 1);
  expect(await installation.counts()).toEqual({ 'Parked RetryBudgetSpent': 1 });
  expect(await installation.storedDeliveries()).toEqual([
    expect.objectContaining({ state: 'Parked', code: 'RetryBudgetSpent' }),
  ]);
});

it('delivers events accepted before a pipeline was disabled, and filters later ones', async () => {
  await configure();
  receiver.answer = () => 503;
  await installation.start();
  await installation.accept(...events('a', 2));
  await until(() => receiver.requests > 0);
  await installation.configure(pipelineState({ enabled: false, version: 2 }));
  await installation.accept(...events('b', 2));
  await until(async () => (await installation.counts())['Filtered Disabled'] === 2);
  receiver.answer = () => 200;
  await until(() => receiver.taken.length === 2);
  expect(receiver.of('a')).toEqual(ids('a', 2));
});

it('parks waiting deliveries of a deleted pipeline', async () => {
  await configure();
  receiver.answer = () => 503;
  await installation.start({ spillAfterMs: 100 });
  await installation.accept(...events('a', 2));
  await until(async () => (await installation.storedDeliveries()).length === 2);
  await installation.configure(pipelineState({ deleted: true, version: 2 }));
  await until(async () => (await installation.counts())['Parked Deleted'] === 2);
  expect(receiver.taken).toEqual([]);
});

it('hands its partitions over to another router without losses or repetitions', async () => {
  await configure();
  const first = await installation.start();
  await installation.accept(...events('a', 100), ...events('b', 100));
  await until(() => receiver.taken.length > 20);
  await Promise.all([first.close(), installation.start()]);
  await installation.accept(...events('a', 150).slice(100));
  await until(() => receiver.taken.length >= 250);
  await until(async () => total(await installation.counts()) === 250);
  expect(receiver.of('a')).toEqual(ids('a', 150));
  expect(receiver.of('b')).toEqual(ids('b', 100));
});

it('skips a record that no gateway wrote', async () => {
  await configure();
  await installation.start();
  await installation.log.append('events', [{ key: 'x', value: 'no event' }]);
  await installation.accept(...events('a', 1), ...events('b', 1));
  await until(async () => total(await installation.counts()) === 2);
  expect(await installation.counts()).toEqual({ Delivered: 2 });
});

it('closes with full memory while a destination fails, and delivers everything after a restart', async () => {
  receiver.answer = () => 503;
  await configure();
  const router = await installation.start({
    budgetBytes: 10_000,
    maxRowsPerKey: 0,
    handOverMs: 100,
  });
  await installation.accept(...events('a', 20));
  await until(() => receiver.requests > 0);
  await installation.accept(...events('b', 20));
  await pause(500);
  await router.close();

  receiver.answer = () => 200;
  await installation.start();
  await until(() => receiver.taken.length === 40);
  expect(receiver.of('a')).toEqual(ids('a', 20));
  expect(receiver.of('b')).toEqual(ids('b', 20));
});

it('closes while it waits for leases that another router holds', async () => {
  await configure();
  const earlier = await installation.start();
  await installation.accept(...events('b', 1));
  await until(() => receiver.requests === 1);
  await earlier.close();
  await installation.pool.query(
    `UPDATE penstock_router.partitions
        SET member = 'another', process = '{"host":"another","boot":"","pid":1,"started":""}',
            until = now() + interval '1 hour', free_from = now() + interval '1 hour'`,
  );
  const router = await installation.start();
  await installation.accept(...events('a', 20));
  await pause(500);
  await router.close();
  expect(receiver.requests).toBe(1);

  await installation.pool.query('UPDATE penstock_router.partitions SET member = NULL');
  await installation.start();
  await until(() => receiver.of('a').length === 20);
  expect(receiver.of('a')).toEqual(ids('a', 20));
});

it('hands over while its database sessions are being ended', async () => {
  await configure();
  await installation.accept(...events('a', 300), ...events('b', 300));
  const router = await installation.start({ commitIntervalMs: 1, commitChanges: 1 });
  await until(() => receiver.taken.length > 0);
  const closed = router.close();
  for (let times = 0; times < 20; times += 1) {
    await installation.endSessions().catch(() => undefined);
    await pause(20);
  }
  await closed;

  await installation.start();
  await until(async () => total(await installation.counts()) === 600);
  expect(new Set(receiver.of('a')).size).toBe(300);
  expect(new Set(receiver.of('b')).size).toBe(300);
});
