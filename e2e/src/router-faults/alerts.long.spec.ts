import { Client } from 'pg';
import { eventually } from '../harness/eventually';
import { showingOutput } from '../harness/installation';
import { SeveralRouters } from '../harness/several-routers';
import { until } from '../harness/until';
import { WebhookReceiver } from '../harness/webhook-receiver';
import { bodyOf, killBeforeSending, SECRET, told, unsigned, waiting } from './alert-calls';
import { answering, healthy } from './behaviours';
import { Load } from './load';
import type { Plan } from './plan';

jest.setTimeout(420_000);

const EVENTS_PER_SECOND = 100;
const PATIENCE_MS = 150_000;

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

interface Listed {
  readonly notifications: readonly {
    readonly id: string;
    readonly state: string;
    readonly attempts: number;
    readonly status: number | null;
  }[];
}

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

/** As if each measurement of pipelines were a minute ago: an outage that takes long makes retries wait for minutes. */
const measureAgain = (): Promise<unknown> =>
  database.query(`UPDATE penstock_router.alert_evaluation SET measured = '-infinity'`);

const toldInTime = (receiver: WebhookReceiver, expected: readonly string[]) =>
  eventually(async () => {
    await measureAgain();
    const missing = expected.filter((each) => !told(receiver).includes(each));
    return missing.map((each) => `${each} was not told`);
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
      await killBeforeSending(2, {
        installation,
        database,
        receivers: [ofHealth, ofRate, ofLag],
        patienceMs: PATIENCE_MS,
      });
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
      await until('all is sent', async () => (await waiting(database)) === 0, PATIENCE_MS);

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
