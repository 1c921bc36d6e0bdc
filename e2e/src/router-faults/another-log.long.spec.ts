import { TOPIC } from '@penstock/contracts';
import { Kafka, logLevel } from 'kafkajs';
import { eventually } from '../harness/eventually';
import { showingOutput } from '../harness/installation';
import type { ServiceProcess } from '../harness/service-process';
import { SeveralRouters } from '../harness/several-routers';
import { until } from '../harness/until';
import { healthy } from './behaviours';
import { unconserved } from './conservation';
import { Load } from './load';
import type { Plan } from './plan';

jest.setTimeout(480_000);

const EVENTS = 40;

const PLAN: Plan = {
  sources: [[0]],
  destinations: [{ name: 'healthy', batchSize: 10, usual: healthy(), troubles: [] }],
  pipelines: [{ name: 'goes', destination: 0, transformation: 'mapping' }],
};

const OPTIONS = { eventsPerSecond: 400 };

/** The setting that the error names. */
const HINT = /PENSTOCK_EVENTS_FROM/;

let installation: SeveralRouters;
let load: Load;

afterEach(async () => {
  await installation.destroy();
  await load.close();
});

const test = (title: string, work: () => Promise<void>): void => {
  it(
    title,
    showingOutput(() => installation, work),
  );
};

const delivered = (count: number): Promise<void> =>
  until('everything is delivered', () => load.fanOut.ledger.distinct >= count, 60_000);

/** Checks that services end by themselves and name the setting. */
const expectRefusal = async (services: readonly ServiceProcess[]): Promise<void> => {
  await Promise.all(
    services.map(async (service) => {
      await expect(service.start()).rejects.toThrow('has ended');
      expect(service.output).toMatch(HINT);
    }),
  );
};

const startAllButRouters = async (): Promise<void> => {
  for (const service of installation.services)
    if (!installation.routers.includes(service)) await service.start();
};

/**
 * Checks that events accepted while no router ran are delivered by one with `PENSTOCK_EVENTS_FROM=earliest`, and that
 * the setting has no effect after the first start.
 *
 * @param before number of events delivered from the other log.
 */
const expectToBegin = async (before: number): Promise<void> => {
  await load.sender.send(EVENTS);
  await expectRefusal(installation.routers);
  const configured = await installation.makeRouter({ PENSTOCK_EVENTS_FROM: 'earliest' });
  await configured.start();
  await delivered(before + EVENTS);
  await configured.stop();
  await configured.start();
  const [plain] = installation.routers;
  await plain?.start();
  await load.sender.send(EVENTS);
  await delivered(before + 2 * EVENTS);
  expect(load.missing()).toEqual([]);
  expect(load.fanOut.ledger.repeated).toBe(0);
  expect(await eventually(() => unconserved(load.fanOut, ['goes']), 15_000)).toEqual([]);
};

test('an installation that moves to Kafka reports another log, and begins where PENSTOCK_EVENTS_FROM sets it', async () => {
  installation = await SeveralRouters.start({ gateways: 1, routers: 1, brokers: 0 });
  load = await Load.open(installation, OPTIONS, PLAN);
  await load.sender.send(EVENTS);
  await delivered(EVENTS);
  installation = await installation.moveToKafka();
  await expectRefusal(installation.services);
  const first = await installation.makeSpare('pipeline-service', {
    PENSTOCK_EVENTS_FROM: 'earliest',
  });
  await first.start();
  await startAllButRouters();
  await first.stop();
  await load.moveTo(installation);
  await expectToBegin(EVENTS);
});

test('an installation whose topic events was created again reports it, and begins where PENSTOCK_EVENTS_FROM sets it', async () => {
  installation = await SeveralRouters.start({ gateways: 1, routers: 1 });
  load = await Load.open(installation, OPTIONS, PLAN);
  await load.sender.send(EVENTS);
  await delivered(EVENTS);
  await Promise.all(installation.services.map((service) => service.stop()));
  await deleteEvents(installation.cluster?.brokers ?? []);
  await startAllButRouters();
  await expectToBegin(EVENTS);
});

const deleteEvents = async (brokers: readonly string[]): Promise<void> => {
  const admin = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  await admin.deleteTopics({ topics: [TOPIC.events] });
  await until('the topic is gone', async () => !(await admin.listTopics()).includes(TOPIC.events));
  await admin.disconnect();
};
