import { createHmac } from 'node:crypto';
import { ADVISORY_LOCK } from '@penstock/contracts';
import { Client } from 'pg';
import { eventually } from '../harness/eventually';
import { showingOutput } from '../harness/installation';
import { SeveralRouters } from '../harness/several-routers';
import { until } from '../harness/until';
import { type WebhookCall, WebhookReceiver } from '../harness/webhook-receiver';
import { answering, healthy } from './behaviours';
import { Load } from './load';
import type { Plan } from './plan';

jest.setTimeout(420_000);

const EVENTS_PER_SECOND = 100;
const PATIENCE_MS = 150_000;
const SECRET = 'the secret of the webhooks';
/** What an update of a destination adds to its name. */
const UPDATED = / \d+$/;

/** Two sources, three destinations, filters, and a pipeline that rejects all of its events. */
const PLAN_OF_ALERTS: Plan = {
  sources: [
    [0, 1, 2],
    [0, 1, 2],
  ],
  destinations: [
    { name: 'healthy', batchSize: 100, usual: healthy(), troubles: [] },
    { name: 'failing', batchSize: 20, usual: healthy(), troubles: [] },
    { name: 'denied', batchSize: 50, usual: healthy(), troubles: [] },
  ],
  pipelines: [
    { name: 'healthy-all', destination: 0, transformation: 'mapping' },
    { name: 'healthy-bad', destination: 0, transformation: 'function', only: ['Bad'] },
    { name: 'failing-buy', destination: 1, transformation: 'mapping', only: ['Buy', 'Look'] },
    { name: 'denied-all', destination: 2, transformation: 'mapping' },
  ],
};

interface Body {
  readonly id: string;
  readonly alert: { readonly kind: string };
  readonly change: string;
  readonly name: string;
  readonly health: { readonly code: string } | null;
  readonly value: number | null;
}

interface Listed {
  readonly notifications: readonly {
    readonly id: string;
    readonly state: string;
    readonly attempts: number;
    readonly status: number | null;
  }[];
}

const bodyOf = ({ body }: WebhookCall): Body => JSON.parse(body) as Body;

/** What was told, each notification once, in the order in which it was first sent. */
const told = ({ calls }: WebhookReceiver): string[] => [
  ...new Map(
    calls.map((call) => {
      const { id, change, name } = bodyOf(call);
      return [id, `${name.replace(UPDATED, '')} ${change}`] as const;
    }),
  ).values(),
];

/** Calls whose key is not the id of their notification, or whose signature is not that of their body. */
const unsigned = ({ calls }: WebhookReceiver): WebhookCall[] =>
  calls.filter((call) => {
    const { headers, body } = call;
    const [, time = '', hash] =
      /^t=(\d+),v1=(.+)$/.exec(String(headers['penstock-signature'])) ?? [];
    const expected = createHmac('sha256', SECRET).update(`${time}.${body}`).digest('hex');
    return hash !== expected || headers['idempotency-key'] !== bodyOf(call).id;
  });

/** Two replicas of each service, over the log in PostgreSQL. */
let installation: SeveralRouters;
let load: Load;
let database: Client;
let ofHealth: WebhookReceiver;
let ofRate: WebhookReceiver;
let ofLag: WebhookReceiver;

beforeAll(async () => {
  installation = await SeveralRouters.start({ pipelineServices: 2, brokers: 0 });
  load = await Load.open(installation, { eventsPerSecond: EVENTS_PER_SECOND }, PLAN_OF_ALERTS);
  database = new Client({ connectionString: installation.databaseUrl });
  database.on('error', () => undefined);
  await database.connect();
  ofHealth = await WebhookReceiver.open();
  ofRate = await WebhookReceiver.open((number) => (number < 2 ? 500 : 200));
  ofLag = await WebhookReceiver.open();
});

afterAll(async () => {
  await database.end();
  await installation.destroy();
  await load.close();
  for (const receiver of [ofHealth, ofRate, ofLag]) await receiver.close();
});

const call = <T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> =>
  load.fanOut.change((api) => api.call(method, path, body) as Promise<T>);

const create = async (receiver: WebhookReceiver, members: object): Promise<string> => {
  const webhook = { url: receiver.url, signingSecret: SECRET };
  const body = { name: 'An alert', webhook, ...members };
  return (await call<{ id: string }>('POST', '/v1/alerts', body)).id;
};

const notificationsOf = async (alert: string): Promise<Listed['notifications']> =>
  (await call<Listed>('GET', `/v1/alerts/${alert}/notifications`)).notifications;

const waiting = async (): Promise<number> => {
  const { rows } = await database.query(
    'SELECT FROM penstock_router.alert_notifications WHERE ended IS NULL',
  );
  return rows.length;
};

/** Kills all routers after the evaluation has recorded its notifications and before any was taken to be sent. */
const killBeforeSending = async (recorded: number): Promise<void> => {
  await database.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK.takeNotifications]);
  await until('notifications are recorded', async () => (await waiting()) >= recorded, PATIENCE_MS);
  await Promise.all(installation.routers.map((router) => router.kill9()));
  expect([ofHealth, ofRate, ofLag].flatMap(({ calls }) => calls)).toEqual([]);
  await database.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCK.takeNotifications]);
  await Promise.all(installation.routers.map((router) => router.start()));
};

/** Waits until the destinations are healthy. @returns the health of those that are not. */
const becomeHealthy = (...names: readonly string[]): Promise<readonly string[]> =>
  eventually(async () => {
    const found: string[] = [];
    for (const name of names) {
      const path = `/v1/connections/${load.fanOut.destinationId(name)}`;
      const { health } = await call<{ health: { status: string; code: string } }>('GET', path);
      if (health.status !== 'Healthy') found.push(`${name} is ${health.status}: ${health.code}`);
    }
    return found;
  }, PATIENCE_MS);

const toldInTime = (receiver: WebhookReceiver, expected: readonly string[]) =>
  eventually(() => {
    const missing = expected.filter((each) => !told(receiver).includes(each));
    return Promise.resolve(missing.map((each) => `${each} was not told`));
  }, PATIENCE_MS);

it(
  'each change is told once, signed and in order, also when all routers are killed before it is sent and when the receiver fails',
  showingOutput(
    () => installation,
    async () => {
      const { fanOut, sender } = load;
      const health = await create(ofHealth, { kind: 'health' });
      const connection = fanOut.destinationId('failing');
      await create(ofLag, { kind: 'lag', threshold: 15, connection });
      const pipeline = fanOut.pipelineIds.get('healthy-bad');
      const rate = await create(ofRate, { kind: 'deadLetterRate', threshold: 50, pipeline });

      const sending = sender.sendUntilStopped();
      fanOut.server('failing').behaviour = answering(503);
      fanOut.server('denied').behaviour = answering(401);
      await killBeforeSending(2);
      expect(await toldInTime(ofHealth, ['failing Began', 'denied Began'])).toEqual([]);
      expect(await toldInTime(ofLag, ['failing-buy Began'])).toEqual([]);
      expect(await toldInTime(ofRate, ['healthy-bad Began'])).toEqual([]);

      fanOut.calm();
      await fanOut.update('denied');
      expect(await becomeHealthy('failing', 'denied')).toEqual([]);
      expect(await toldInTime(ofHealth, ['failing Ended', 'denied Ended'])).toEqual([]);
      expect(await toldInTime(ofLag, ['failing-buy Ended'])).toEqual([]);

      sender.stop();
      await sending;
      expect(await load.wrong()).toEqual([]);
      // As if a quarter of an hour had passed.
      await database.query('UPDATE penstock_router.counters SET minute = minute - 15');
      expect(await toldInTime(ofRate, ['healthy-bad Ended'])).toEqual([]);
      await until('all is sent', async () => (await waiting()) === 0, PATIENCE_MS);

      expect(told(ofHealth).sort()).toEqual([
        'denied Began',
        'denied Ended',
        'failing Began',
        'failing Ended',
      ]);
      expect(told(ofLag)).toEqual(['failing-buy Began', 'failing-buy Ended']);
      expect(told(ofRate)).toEqual(['healthy-bad Began', 'healthy-bad Ended']);
      expect(ofRate.calls.map(({ status }) => status)).toEqual([500, 500, 200, 200]);
      expect(bodyOf(ofRate.calls[0]!)).toMatchObject({ value: 100, health: null });
      expect([ofHealth, ofRate, ofLag].flatMap(unsigned)).toEqual([]);
      expect((await notificationsOf(rate)).map(({ state, attempts }) => [state, attempts])).toEqual(
        [
          ['Delivered', 1],
          ['Delivered', 3],
        ],
      );
      const ofAlert = await notificationsOf(health);
      expect(ofAlert.map(({ state, status }) => [state, status])).toEqual(
        Array.from({ length: 4 }, () => ['Delivered', 200]),
      );
    },
  ),
);
