import { TOPIC } from '@penstock/contracts';
import { Kafka, logLevel } from 'kafkajs';
import { showingOutput } from '../harness/installation';
import { SeveralRouters } from '../harness/several-routers';
import { until } from '../harness/until';
import { healthy } from './behaviours';
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

/** What the operator reads. */
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

/** The routers end by themselves, and say what to do. */
const expectRefusal = async (): Promise<void> => {
  for (const router of installation.routers) {
    await expect(router.start()).rejects.toThrow('has ended');
    expect(router.output).toMatch(HINT);
  }
};

/**
 * Events that come in while no router runs are delivered by one that was told to begin at the beginning; once it has
 * begun, what it was told counts no more.
 *
 * @param before what has been delivered from the other log.
 */
const expectToBegin = async (before: number): Promise<void> => {
  await load.sender.send(EVENTS);
  await expectRefusal();
  const told = await installation.makeRouter({ PENSTOCK_EVENTS_FROM: 'earliest' });
  await told.start();
  await delivered(before + EVENTS);
  await told.stop();
  await told.start();
  const [plain] = installation.routers;
  await plain?.start();
  await load.sender.send(EVENTS);
  await delivered(before + 2 * EVENTS);
  expect(load.missing()).toEqual([]);
  expect(load.fanOut.ledger.repeated).toBe(0);
};

test('an installation that moves to Kafka says so, and begins where it is told to', async () => {
  installation = await SeveralRouters.start({ gateways: 1, routers: 1, brokers: 0 });
  load = await Load.open(installation, OPTIONS, PLAN);
  await load.sender.send(EVENTS);
  await delivered(EVENTS);
  installation = await installation.moveToKafka(false);
  await load.moveTo(installation);
  await expectToBegin(EVENTS);
});

test('an installation whose topic of events was made anew says so, and begins where it is told to', async () => {
  installation = await SeveralRouters.start({ gateways: 1, routers: 1 });
  load = await Load.open(installation, OPTIONS, PLAN);
  await load.sender.send(EVENTS);
  await delivered(EVENTS);
  for (const service of installation.services) await service.stop();
  await deleteEvents(installation.cluster?.brokers ?? []);
  for (const service of installation.services)
    if (!installation.routers.includes(service)) await service.start();
  await expectToBegin(EVENTS);
});

const deleteEvents = async (brokers: readonly string[]): Promise<void> => {
  const admin = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  await admin.deleteTopics({ topics: [TOPIC.events] });
  await until('the topic is gone', async () => !(await admin.listTopics()).includes(TOPIC.events));
  await admin.disconnect();
};
