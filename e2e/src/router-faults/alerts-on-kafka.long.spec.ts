import { Client } from 'pg';
import { showingOutput } from '../harness/installation';
import { ON_KAFKA } from '../harness/router-forms';
import type { RouterInstallation } from '../harness/router-installation';
import { until } from '../harness/until';
import { WebhookReceiver } from '../harness/webhook-receiver';
import { bodyOf, killBeforeSending, SECRET, told, unsigned, waiting } from './alert-calls';
import { answering, healthy } from './behaviours';
import { Load } from './load';
import type { Plan } from './plan';
import { IS_LONG } from './sizes';

jest.setTimeout(300_000);

const PATIENCE_MS = 120_000;

const PLAN: Plan = {
  sources: [[0, 1]],
  destinations: [
    { name: 'healthy', batchSize: 100, usual: healthy(), troubles: [] },
    { name: 'failing', batchSize: 10, usual: healthy(), troubles: [] },
  ],
  pipelines: [
    { name: 'healthy-all', destination: 0, transformation: 'mapping' },
    { name: 'failing-all', destination: 1, transformation: 'mapping' },
  ],
};

let installation: RouterInstallation;
let load: Load;
let database: Client;
let receiver: WebhookReceiver;

beforeAll(async () => {
  installation = await ON_KAFKA.start();
  load = await Load.open(installation, { eventsPerSecond: 100 }, PLAN);
  database = new Client({ connectionString: installation.databaseUrl });
  database.on('error', () => undefined);
  await database.connect();
  receiver = await WebhookReceiver.open();
});

afterAll(async () => {
  await database.end();
  await installation.destroy();
  await load.close();
  await receiver.close();
});

/** The end of a trouble is recorded half a minute after its beginning: only the long form waits for it. */
it(
  'a change is told once, signed, though all routers are killed before it is sent',
  showingOutput(
    () => installation,
    async () => {
      const { fanOut, sender } = load;
      const webhook = { url: receiver.url, signingSecret: SECRET };
      const alert = { name: 'An alert', kind: 'health', webhook };
      await fanOut.change((api) => api.call('POST', '/v1/alerts', alert));
      const sending = sender.sendUntilStopped();
      fanOut.server('failing').behaviour = answering(503);
      const receivers = [receiver];
      await killBeforeSending(1, { installation, database, receivers, patienceMs: PATIENCE_MS });
      await until('it is told', () => receiver.calls.length > 0, PATIENCE_MS);
      expect(bodyOf(receiver.calls[0]!)).toMatchObject({ health: { code: 'DestinationFails' } });
      fanOut.calm();
      const expected = ['failing Began', 'failing Ended'].slice(0, IS_LONG ? 2 : 1);
      await until('all is told', () => told(receiver).length >= expected.length, PATIENCE_MS);
      sender.stop();
      await sending;
      expect(await load.wrong()).toEqual([]);
      await until('all is sent', async () => (await waiting(database)) === 0, PATIENCE_MS);
      expect(told(receiver).slice(0, expected.length)).toEqual(expected);
      expect(new Set(receiver.calls.map((call) => bodyOf(call).id)).size).toBe(
        receiver.calls.length,
      );
      expect(unsigned(receiver)).toEqual([]);
    },
  ),
);
