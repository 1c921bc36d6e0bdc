import { setTimeout as pause } from 'node:timers/promises';
import { conservationOf } from './deliveries/conservation';
import { FanOut } from './testing/fan-out.fixture';
import type { Installation } from './testing/installation.fixture';
import type { Receiver } from './testing/receiver.fixture';
import { until } from './testing/until.fixture';

jest.setTimeout(600_000);

const NAMES = ['refusing', 'failing', 'healthy', 'picky'] as const;
type Name = (typeof NAMES)[number];

let fanOut: FanOut<Name>;
let installation: Installation;
let receivers: Readonly<Record<Name, Receiver>>;

beforeEach(async () => {
  fanOut = await FanOut.open(NAMES);
  ({ installation, receivers } = fanOut);
});

afterEach(() => fanOut.close());

it('ends each delivery once when one destination refuses, one fails, and the router stops and starts', async () => {
  await fanOut.configure();
  receivers.refusing.answer = () => 400;
  receivers.failing.answer = () => 503;
  const router = await installation.start({ spillAfterMs: 300 });
  await installation.accept(...fanOut.events(40));
  await until(() => receivers.healthy.taken.length === 40);
  await until(async () => (await fanOut.countsOf('refusing'))['Rejected 400'] === 40);
  await router.close();
  expect(receivers.refusing.requests).toBe(40);

  for (let times = 0; times < 2; times += 1) {
    const again = await installation.start({ spillAfterMs: 300 });
    await pause(1_000);
    await again.close();
  }
  expect(receivers.refusing.requests).toBe(40);
  expect(receivers.healthy.requests).toBe(40);

  receivers.failing.answer = () => 200;
  await installation.start();
  await installation.accept(...fanOut.events(10, 40));
  await until(() => receivers.failing.taken.length === 50);
  await fanOut.expectCounts({
    healthy: { Delivered: 50 },
    failing: { Delivered: 50 },
    refusing: { 'Rejected 400': 50 },
    picky: { Delivered: 5, Filtered: 45 },
  });
});

it('delivers the events beside records that no gateway wrote, and stores those records', async () => {
  await fanOut.configure();
  await installation.start();
  const [first, ...rest] = fanOut.events(15);
  await installation.accept(first!);
  await installation.log.append('events', [
    { key: 'x', value: 'no event' },
    { key: 'x', value: '[2,"of a newer form"]\n{}' },
    { key: 'y', value: null },
  ]);
  await installation.accept(...rest);
  await until(() => receivers.healthy.taken.length === 15);
  await until(async () => (await installation.unreadable()).length === 3);
  expect(await installation.unreadable()).toEqual(
    expect.arrayContaining(['no event', '[2,"of a newer form"]\n{}', '']),
  );
});

it('detaches a slow destination without delaying the others', async () => {
  await fanOut.configure({ failing: { rate: 1 } });
  await installation.start({ maxOpenPerLane: 50, budgetBytes: 1_000_000 });
  for (let part = 0; part < 3; part += 1)
    await installation.accept(...fanOut.events(200, 200 * part));
  await until(() => receivers.healthy.taken.length === 600);
  expect(receivers.failing.taken.length).toBeLessThan(100);
  expect(await installation.storedDeliveries()).toEqual([]);
});

it('counts for a slow lane what it has yet to read', async () => {
  const count = 2_000;
  await fanOut.configure({ failing: { rate: 10 } });
  await installation.start({ maxOpenPerLane: 50 });
  for (let from = 0; from < count; from += 500)
    await installation.accept(...fanOut.events(500, from));
  const of = (name: Name) =>
    conservationOf(installation.pool, fanOut.pipeline(name), fanOut.destination(name));
  await until(async () => (await of('healthy')).endings.Delivered === count);
  expect(await of('healthy')).toMatchObject({ accepted: count, open: 0, behind: 0 });
  const slow = await of('failing');
  const ended = Object.values(slow.endings).reduce((sum, each) => sum + each, 0);
  expect(slow.accepted).toBe(ended + slow.open);
  expect(slow.accepted).toBeLessThan(count);
  expect(slow.accepted + slow.behind).toBe(count);
  await installation.configure({ ...fanOut.settingsOf('failing'), version: 2 });
  await until(async () => (await of('failing')).endings.Delivered === count);
  expect(await of('failing')).toMatchObject({ accepted: count, open: 0, behind: 0 });
});

it('lets a destination whose settings cannot be decrypted wait without delaying the others', async () => {
  await fanOut.configure();
  const broken = fanOut.settingsOf('failing');
  await installation.configure({ ...broken, settings: 'v2:nonsense', version: 2 });
  await installation.start({ maxOpenPerLane: 50, budgetBytes: 1_000_000 });
  await installation.accept(...fanOut.events(500));
  await until(() => receivers.healthy.taken.length === 500);
  await installation.configure({ ...broken, version: 3 });
  await until(() => receivers.failing.taken.length === 500);
});

it('pauses a lane whose destination denies its credentials until they are changed', async () => {
  await fanOut.configure();
  receivers.refusing.answer = () => 401;
  await installation.start();
  await installation.accept(...fanOut.events(30));
  await until(() => receivers.healthy.taken.length === 30);
  await until(() => receivers.refusing.requests > 0);
  await pause(1_500);
  expect(receivers.refusing.requests).toBeLessThan(20);
  await fanOut.expectCounts({ refusing: { Open: 30 } });
  receivers.refusing.answer = () => 200;
  const fixed = fanOut.settingsOf('refusing');
  await installation.configure({ ...fixed, version: 2 });
  await until(() => receivers.refusing.taken.length === 30);
  await until(async () => (await fanOut.countsOf('refusing'))['Delivered'] === 30);
});

it('rejects an event that alone is answered as denied, and continues', async () => {
  await fanOut.configure();
  receivers.refusing.answer = ({ messageId }) => (messageId === 'message-3' ? 403 : 200);
  await installation.start({ firstPauseProbeMs: 200, pauseProbeMs: 200 });
  await installation.accept(...fanOut.events(30));
  await until(() => receivers.refusing.taken.length === 29);
  await until(async () => (await fanOut.countsOf('refusing'))['Rejected 403'] === 1);
});

it('isolates one event that makes requests with others fail', async () => {
  await fanOut.configure({ failing: { batchSize: 100 } });
  receivers.failing.answer = ({ messageId }) => (messageId === 'message-23' ? 500 : 200);
  await installation.start({ backoffBaseMs: 20, backoffCapMs: 100 });
  await installation.accept(...fanOut.events(70));
  await until(() => receivers.failing.taken.length >= 60);
  const key = fanOut.events(70).filter(({ source, user }) => {
    const poisoned = fanOut.events(70)[23]!;
    return source === poisoned.source && user === poisoned.user;
  });
  const held = key.length - key.findIndex(({ messageId }) => messageId === 'message-23');
  await until(() => receivers.failing.taken.length === 70 - held);
});

it('parks events behind one that failed until its maximum age, without trying each', async () => {
  await fanOut.configure();
  receivers.failing.answer = () => 500;
  await installation.start({ maxAgeMs: 2_000, backoffCapMs: 500, spillAfterMs: 300 });
  await installation.accept(
    ...Array.from({ length: 100 }, (_, number) => ({ user: 'one', messageId: `m-${number}` })),
  );
  await until(async () => (await fanOut.countsOf('failing'))['Parked RetryBudgetSpent'] === 100);
  expect(receivers.failing.requests).toBeLessThan(50);
  await until(async () => (await fanOut.countsOf('healthy'))['Delivered'] === 100);
});

it('hands over within the time limit although a destination hangs', async () => {
  await fanOut.configure();
  let answer: () => void = () => undefined;
  const hanging = new Promise<void>((resolve) => (answer = resolve));
  receivers.failing.hold = () => hanging;
  const router = await installation.start({ handOverMs: 300 });
  await installation.accept(...fanOut.events(30));
  await until(() => receivers.healthy.taken.length === 30);
  await router.close();
  await installation.start();
  await installation.accept(...fanOut.events(30, 30));
  await until(() => receivers.healthy.taken.length === 60);
  answer();
  receivers.failing.hold = () => Promise.resolve();
  await until(async () => (await fanOut.countsOf('failing'))['Delivered'] === 60);
  expect(receivers.healthy.requests).toBe(60);
});

it('shares the partitions between two routers, and delivers everything when one stops', async () => {
  await fanOut.configure();
  receivers.refusing.answer = () => 400;
  const first = await installation.start();
  const second = await installation.start();
  await installation.accept(...fanOut.events(200));
  await until(() => receivers.healthy.taken.length === 200);
  await first.close();
  await installation.accept(...fanOut.events(200, 200));
  await until(() => receivers.healthy.taken.length === 400);
  // Otherwise the last router might stop before it has sent them.
  await until(() => receivers.refusing.requests === 400);
  await until(() => receivers.failing.taken.length === 400);
  await until(() => receivers.picky.taken.length === 40);
  await second.close();
  expect(receivers.healthy.requests).toBe(400);
  await fanOut.expectCounts({
    healthy: { Delivered: 400 },
    failing: { Delivered: 400 },
    refusing: { 'Rejected 400': 400 },
    picky: { Delivered: 40, Filtered: 360 },
  });
});
