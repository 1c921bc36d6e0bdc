import { FanOut } from './testing/fan-out.fixture';
import type { Installation } from './testing/installation.fixture';
import type { Receiver } from './testing/receiver.fixture';
import { until } from './testing/until.fixture';

jest.setTimeout(600_000);

const NAMES = ['healthy', 'troubled', 'picky'] as const;
type Name = (typeof NAMES)[number];

let fanOut: FanOut<Name>;
let installation: Installation;
let receivers: Readonly<Record<Name, Receiver>>;

beforeEach(async () => {
  fanOut = await FanOut.open(NAMES);
  ({ installation, receivers } = fanOut);
  await fanOut.configure();
});

afterEach(() => fanOut.close());

/** Number of records that retention removed before the lane was given them, from the reports. */
const notGiven = async (name: Name): Promise<number> => {
  const { rows } = await installation.pool.query<{ reason: string }>(
    'SELECT reason FROM penstock_router.unreadable',
  );
  const report = new RegExp(
    `has removed (\\d+) records before lane ${fanOut.destination(name)} was given them`,
  );
  return rows.reduce((sum, { reason }) => sum + Number(report.exec(reason)?.[1] ?? 0), 0);
};

/** Number of deliveries that are left to detached keys. */
const owed = async (): Promise<number> => {
  const { rows } = await installation.pool.query<{ count: number }>(
    'SELECT coalesce(sum(value::int), 0)::int AS count FROM penstock_router.cursors, jsonb_each_text(owed)',
  );
  return rows[0]?.count ?? NaN;
};

it('counts the events that a paused destination has lost to retention, and delivers all others', async () => {
  receivers.troubled.answer = () => 401;
  const router = await installation.start();
  await installation.accept(...fanOut.events(20));
  await until(() => receivers.healthy.taken.length === 20);
  await until(async () =>
    (await installation.pausedLanes()).includes(fanOut.destination('troubled')),
  );
  await installation.accept(...fanOut.events(10, 20));
  await until(() => receivers.healthy.taken.length === 30);
  await until(() => receivers.picky.taken.length === 3);
  await router.close();
  const { Open: open = 0 } = await fanOut.countsOf('troubled');
  expect(open).toBeGreaterThan(0);

  await installation.forget();
  receivers.troubled.answer = () => 200;
  const settings = fanOut.settingsOf('troubled');
  await installation.configure({ ...settings, version: 2 });
  await installation.start();
  await installation.accept(...fanOut.events(10, 30));
  await until(() => receivers.troubled.taken.length === 10);
  await fanOut.expectCounts({
    troubled: { Delivered: 10, 'Parked Expired': open },
    healthy: { Delivered: 40 },
    picky: { Delivered: 4, Filtered: 36 },
  });
  await until(async () => open + (await notGiven('troubled')) >= 30);
  expect(open + (await notGiven('troubled'))).toBe(30);
  expect(receivers.healthy.requests).toBe(40);
});

it('ends or reports each event once when retention overtakes a slow destination', async () => {
  const settings = (version: number, limits: object) => ({
    ...fanOut.settingsOf('troubled', limits),
    version,
  });
  await installation.configure(settings(2, { rate: 1 }));
  await installation.start({ maxOpenPerLane: 20 });
  await installation.accept(...fanOut.events(300));
  await until(() => receivers.healthy.taken.length === 300);
  await installation.forget();
  await installation.configure(settings(3, {}));
  await installation.accept(...fanOut.events(10, 300));
  const last = fanOut.events(10, 300).map(({ messageId }) => messageId);
  const taken = () => receivers.troubled.taken.map(({ body }) => body['messageId']);
  await until(() => last.every((messageId) => taken().includes(messageId)));
  await fanOut.expectCounts({
    healthy: { Delivered: 310 },
    picky: { Delivered: 31, Filtered: 279 },
  });
  const accounted = async (): Promise<number> => {
    const counts = Object.values(await fanOut.countsOf('troubled'));
    return counts.reduce((sum, count) => sum + count, await notGiven('troubled'));
  };
  await until(async () => (await installation.open()) === 0 && (await accounted()) >= 310);
  const {
    Delivered: delivered = 0,
    'Parked Expired': expired = 0,
    ...rest
  } = await fanOut.countsOf('troubled');
  expect(rest).toEqual({});
  expect(delivered).toBe(taken().length);
  expect(new Set(taken()).size).toBe(delivered);
  expect(await notGiven('troubled')).toBeGreaterThan(0);
  expect(delivered + expired + (await notGiven('troubled'))).toBe(310);
});

it('counts the events that a detached key has lost to retention', async () => {
  receivers.troubled.answer = ({ anonymousId }) => (anonymousId === 'one' ? 503 : 200);
  const options = { spillAfterMs: 100, maxRowsPerKey: 2, backoffCapMs: 200 };
  const router = await installation.start(options);
  await installation.accept(...fanOut.events(20, 0, 'one'), ...fanOut.events(20, 20));
  await until(async () => (await installation.storedDeliveries()).length === 4);
  await installation.accept(...fanOut.events(10, 40, 'one'), ...fanOut.events(10, 50));
  await until(() => receivers.healthy.taken.length === 60);
  await until(() => receivers.troubled.taken.length === 30);
  await until(async () => (await owed()) === 10);
  await until(() => receivers.picky.taken.length === 6);
  await router.close();

  await installation.forget();
  receivers.troubled.answer = () => 200;
  await installation.start(options);
  await installation.accept(...fanOut.events(10, 60, 'one'));
  await until(() => receivers.troubled.taken.length === 44);
  await fanOut.expectCounts({
    troubled: { Delivered: 44, 'Parked Expired': 26 },
    healthy: { Delivered: 70 },
    picky: { Delivered: 7, Filtered: 63 },
  });
  await until(async () => (await owed()) === 0);
});
