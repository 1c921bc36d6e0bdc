import { readdirSync, readFileSync } from 'node:fs';
import type { PipelineId, SendingPipelineState } from '@penstock/contracts';
import { type FunctionRunner, SandboxUnavailable } from '@penstock/transformations';
import {
  destinationState,
  Installation,
  sourceState,
  type TestEvent,
} from './testing/installation.fixture';
import { functionState, onlyEvent, pipelineState } from './testing/pipelines.fixture';
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

const configure = (...pipelines: readonly SendingPipelineState[]): Promise<void> =>
  installation.configure(sourceState(), destinationState(receiver.url), ...pipelines);

const pipeline = (number: number): PipelineId => `pipeline000000${String(number)}` as PipelineId;

const events = (user: string, count: number, event = 'E'): TestEvent[] =>
  Array.from({ length: count }, (_, index) => ({ user, messageId: `${user}-${index}`, event }));

const ids = (user: string, count: number): string[] => events(user, count).map((e) => e.messageId);

const ended = async (): Promise<number> =>
  Object.values(await installation.counts()).reduce((sum, count) => sum + count, 0);

/** An expression for a function's result that identifies the event and its user. */
const WHOSE = '{ messageId: event.messageId, anonymousId: event.anonymousId }';
const WHO = `const transform = (event) => ({ properties: ${WHOSE} });`;

it('delivers the results of functions in both languages', async () => {
  const source = `def transform(event):
    return {"properties": {"python": event["messageId"], "price": event["properties"]["price"] * 2}}`;
  await configure(
    functionState('const transform = async (event) => ({ properties: { js: event.messageId } });'),
    functionState(source, { id: pipeline(2) }, 'Python'),
  );
  await installation.start();
  await installation.accept({ user: 'a', messageId: 'm', properties: '{"price":12.5}' });
  await until(async () => (await ended()) === 2);
  expect(receiver.taken.map(({ body }) => body)).toEqual([{ js: 'm' }, { python: 'm', price: 25 }]);
  expect(await installation.counts()).toEqual({ Delivered: 2 });
});

it('keeps an event on which a function fails as a dead letter, and delivers its neighbours', async () => {
  await configure(
    functionState(`const transform = (event) => {
      if (event.messageId === 'a-1') throw new TypeError('no good');
      if (event.messageId === 'a-2') return {};
      if (event.messageId === 'b-0') for (;;);
      return { properties: ${WHOSE} };
    };`),
  );
  await installation.start({}, installation.runnerOf(2_000));
  await installation.accept(...events('a', 5), ...events('b', 2));
  await until(async () => (await ended()) === 7);
  expect(receiver.of('a')).toEqual(['a-0', 'a-3', 'a-4']);
  expect(receiver.of('b')).toEqual(['b-1']);
  const { rows } = await installation.pool.query(
    `SELECT order_key, step, reason FROM penstock_router.deliveries
      WHERE state = 'Rejected' ORDER BY reason`,
  );
  expect(rows).toMatchObject([
    { step: 'Transformation', reason: 'JavaScript: TypeError: no good (line 2, column 48)' },
    { step: 'Transformation', reason: 'JavaScript: time limit of 2 s exceeded' },
    { step: 'OutputValidation', reason: expect.stringContaining('properties: required') as string },
  ]);
});

it('keeps the order of each key, whichever of its events have a function', async () => {
  await configure(
    functionState(
      `const transform = async (event) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        return { properties: ${WHOSE} };
      };`,
      { filter: onlyEvent('Slow') },
    ),
    pipelineState({ id: pipeline(2), filter: onlyEvent('Fast') }),
  );
  await installation.start();
  const mixed = ['a', 'b', 'c'].flatMap((user) =>
    events(user, 150).map((each, index) => ({ ...each, event: index % 7 > 2 ? 'Slow' : 'Fast' })),
  );
  await installation.accept(...mixed);
  await until(() => receiver.taken.length === 450);
  for (const user of ['a', 'b', 'c']) expect(receiver.of(user)).toEqual(ids(user, 150));
});

it('continues with other pipelines while a function never ends', async () => {
  await configure(
    functionState('const transform = () => { for (;;); };', { filter: onlyEvent('Endless') }),
    functionState(WHO, { id: pipeline(2), filter: onlyEvent('Good') }),
    pipelineState({ id: pipeline(3), filter: onlyEvent('Plain') }),
  );
  // The functions that never end take 100 s in all.
  await installation.start({}, installation.runnerOf(5_000));
  await installation.accept(...events('first', 1, 'Good'));
  await until(() => receiver.taken.length === 1);
  await installation.accept(...events('endless', 20, 'Endless'));
  await until(async () => (await installation.open()) > 0);
  await installation.accept(...events('good', 50, 'Good'), ...events('plain', 50, 'Plain'));
  await until(() => receiver.taken.length === 101);
  expect((await installation.counts())['Rejected'] ?? 0).toBeLessThan(20);
  expect(receiver.of('good')).toEqual(ids('good', 50));
  expect(receiver.of('plain')).toEqual(ids('plain', 50));
});

it('detaches a lane with a slow function, so that the others keep their memory', async () => {
  await configure(
    functionState(
      `const transform = async (event) => {
        await new Promise((resolve) => setTimeout(resolve, 40));
        return { properties: ${WHOSE} };
      };`,
      { filter: onlyEvent('Slow') },
    ),
    pipelineState({ id: pipeline(2), filter: onlyEvent('Plain') }),
  );
  await installation.start({ budgetBytes: 100_000, spillAfterMs: 300 });
  await installation.accept(...events('slow', 300, 'Slow'), ...events('plain', 100, 'Plain'));
  await until(() => receiver.of('plain').length === 100);
  expect(receiver.of('plain')).toEqual(ids('plain', 100));
  expect(await installation.storedDeliveries()).toEqual([]);
  await until(() => receiver.of('slow').length >= 100);
  const slow = receiver.of('slow');
  expect(slow).toEqual(ids('slow', slow.length));
});

it('parks deliveries that wait for a function of a deleted pipeline at once', async () => {
  const endless = functionState('const transform = () => { for (;;); };');
  await configure(endless);
  // The time limit is so long that no function is stopped before its pipeline is deleted.
  await installation.start();
  await installation.accept(
    ...Array.from({ length: 250 }, (_, n) => events(`u${String(n)}`, 1)).flat(),
  );
  await until(async () => (await installation.open()) === 250);
  expect(await installation.counts()).toEqual({});
  await installation.configure({ ...endless, deleted: true, version: 2 });
  await until(async () => (await ended()) === 250);
  expect(await installation.counts()).toEqual({ 'Parked Deleted': 250 });
});

it('runs a function once for a delivery that is retried', async () => {
  const bodies: unknown[] = [];
  receiver.answer = (body) => {
    bodies.push(body);
    return bodies.length > 3 ? 200 : 503;
  };
  await configure(functionState('const transform = () => ({ properties: { n: Math.random() } });'));
  await installation.start();
  await installation.accept(...events('a', 1));
  await until(() => receiver.taken.length === 1);
  expect(bodies).toHaveLength(4);
  expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
});

it('transforms loaded rows again, and sends them before newer events of the key', async () => {
  await configure(functionState(WHO));
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

/** A runner that rejects with SandboxUnavailable until it is switched on. */
const away = (runner: FunctionRunner) => {
  const state = { isAway: true, asked: 0 };
  const functions: FunctionRunner = {
    compile: (...args) => runner.compile(...args),
    run: (...args) => {
      state.asked += 1;
      return state.isAway
        ? Promise.reject(new SandboxUnavailable('does not start'))
        : runner.run(...args);
    },
    circuitOf: (batch) => runner.circuitOf(batch),
    close: () => runner.close(),
  };
  return { state, functions };
};

it('fails nothing while there is no sandbox', async () => {
  const { state, functions } = away(installation.functions);
  await configure(functionState(WHO));
  await installation.start({ spillAfterMs: 300 }, functions);
  await installation.accept(...events('a', 20));
  await until(() => state.asked > 2);
  await installation.accept(...events('a', 30).slice(20));
  expect(await installation.counts()).toEqual({});
  state.isAway = false;
  await until(() => receiver.taken.length === 30);
  expect(receiver.of('a')).toEqual(ids('a', 30));
  await until(async () => (await ended()) === 30);
  expect(await installation.counts()).toEqual({ Delivered: 30 });
});

/** Ids of the sandbox processes of this process. */
const sandboxes = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return parent === process.pid && command.includes('/functions/sandbox/main');
      } catch {
        return false;
      }
    })
    .map(Number);

(process.platform === 'linux' ? it : it.skip)(
  'loses nothing when the process of the functions is killed',
  async () => {
    await configure(
      functionState(`const transform = async (event) => {
        await new Promise((resolve) => setTimeout(resolve, 10));
        return { properties: ${WHOSE} };
      };`),
    );
    await installation.start();
    await installation.accept(...events('a', 200), ...events('b', 200));
    await until(() => receiver.taken.length > 50);
    for (const pid of sandboxes()) process.kill(pid, 'SIGKILL');
    await until(() => receiver.taken.length === 400);
    expect(receiver.of('a')).toEqual(ids('a', 200));
    expect(receiver.of('b')).toEqual(ids('b', 200));
    await until(async () => (await ended()) === 400);
    expect(await installation.counts()).toEqual({ Delivered: 400 });
  },
);
