import { TOPIC } from '@penstock/contracts';
import { type Cluster, startCluster } from '@penstock/local-kafka';
import { Kafka, logLevel } from 'kafkajs';
import { eventsOnLog } from '../harness/events-on-log';
import { showingOutput } from '../harness/installation';
import type { ServiceProcess } from '../harness/service-process';
import { SeveralRouters } from '../harness/several-routers';
import { until } from '../harness/until';
import { answering, healthy, refusing } from './behaviours';
import type { FanOutEvent } from './fan-out-event';
import { Load } from './load';
import type { Plan } from './plan';
import { say } from './say';
import { sized } from './sizes';

jest.setTimeout(sized(480_000, 1_200_000));

const EVENTS = sized(600, 20_000);
const OPTIONS = { eventsPerSecond: 120 };

const SERVICES = ['pipeline-service', 'event-router', 'run-executor', 'api-gateway'] as const;

const isRefused = ({ user, number }: FanOutEvent): boolean => (user + number) % 20 === 3;

/** Two sources, three destinations of which one rejects and one fails for a while, pipelines that filter. */
const PLAN: Plan = {
  sources: [
    [0, 1, 2],
    [0, 1],
  ],
  destinations: [
    { name: 'healthy', batchSize: 50, usual: healthy(), troubles: [] },
    { name: 'picky', batchSize: 1, usual: refusing(isRefused), isRefused, troubles: [] },
    { name: 'failing', batchSize: 20, usual: healthy(), troubles: [] },
  ],
  pipelines: [
    { name: 'all', destination: 0, transformation: 'mapping' },
    { name: 'buy', destination: 0, transformation: 'mapping', only: ['Buy'] },
    { name: 'picky', destination: 1, transformation: 'mapping', only: ['Buy', 'Scroll'] },
    { name: 'failing', destination: 2, transformation: 'function' },
  ],
};

let cluster: Cluster;
const installations: SeveralRouters[] = [];
const loads: Load[] = [];
const spares: ServiceProcess[] = [];

const prefixed = (prefix: string) => ({ shared: { cluster, prefix } });

beforeAll(async () => {
  cluster = await startCluster(1);
  for (const prefix of ['one.', 'two-'])
    installations.push(await SeveralRouters.start(prefixed(prefix)));
  for (const installation of installations)
    loads.push(await Load.open(installation, OPTIONS, PLAN));
}, 300_000);

afterAll(async () => {
  await Promise.all(installations.map((installation) => installation.destroy()));
  await Promise.all(loads.map((load) => load.close()));
  await cluster.stop();
});

const pair = (nth: 0 | 1): { installation: SeveralRouters; load: Load } => {
  const [installation, load] = [installations[nth], loads[nth]];
  if (installation === undefined || load === undefined) throw new Error('nothing was started');
  return { installation, load };
};

const test = (title: string, work: () => Promise<void>): void => {
  const services = (): { services: readonly ServiceProcess[] } => ({
    services: [...installations.flatMap((installation) => installation.services), ...spares],
  });
  it(title, showingOutput(services, work));
};

/** Checks that every event accepted so far has ended once, as planned. */
const expectNothingWrong = async (): Promise<void> => {
  for (const { fanOut } of loads) fanOut.calm();
  for (const load of loads) {
    expect(await load.wrong()).toEqual([]);
    expect(load.fanOut.ledger.repeated).toBe(0);
  }
};

/** Checks that each service ends by itself with a message that matches. */
const expectRefused = async (
  installation: SeveralRouters,
  env: Readonly<Record<string, string>>,
  message: RegExp,
): Promise<void> => {
  const refused: ServiceProcess[] = [];
  for (const name of SERVICES) refused.push(await installation.makeSpare(name, env));
  spares.push(...refused);
  await Promise.all(
    refused.map(async (service) => {
      await expect(service.start()).rejects.toThrow('has ended');
      expect(service.output).toMatch(message);
    }),
  );
};

const asAdmin = async <T>(ask: (admin: ReturnType<Kafka['admin']>) => Promise<T>): Promise<T> => {
  const admin = new Kafka({ brokers: [...cluster.brokers], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  return ask(admin).finally(() => admin.disconnect());
};

const ownerOf = async (installation: SeveralRouters): Promise<string> => {
  const log = installation.openLog();
  const { records } = await log.read(TOPIC.installation, 0, 0, 1_000).finally(() => log.close());
  const { installation: id } = JSON.parse(records[0]?.value ?? '') as { installation: string };
  return id;
};

test('two installations in one cluster deliver the events of their own sources, once each', async () => {
  for (const { fanOut } of loads) fanOut.server('failing').behaviour = answering(503);
  const sent = loads.map((load) => load.sender.send(EVENTS));
  const isHalf = () => loads.every(({ accepted }) => accepted.length >= EVENTS / 2);
  await until('half is accepted', isHalf, 240_000);
  for (const { fanOut } of loads) fanOut.calm();
  await Promise.all(sent);
  await expectNothingWrong();
  loads.forEach((load, nth) => {
    say(`installation ${String(nth)}`, load.facts);
  });
  for (const { fanOut } of loads) {
    const log = fanOut.installation.openLog();
    const events = await eventsOnLog(log).finally(() => log.close());
    expect(events.length).toBeGreaterThanOrEqual(EVENTS);
    const own = new Set(fanOut.sources.map(({ id }) => id));
    expect(new Set(events.map(({ source }) => source))).toEqual(own);
  }
});

test('all topics and groups in the cluster have a prefix', async () => {
  const topics = await asAdmin((admin) => admin.listTopics());
  const { groups } = await asAdmin((admin) => admin.listGroups());
  const names = Object.values(TOPIC).flatMap((name) => [`one.${name}`, `two-${name}`]);
  expect(topics.filter((name) => !name.startsWith('__')).sort()).toEqual(names.sort());
  const named = groups.map(({ groupId }) => groupId);
  expect(named).toEqual(expect.arrayContaining(['one.pipeline-service', 'two-pipeline-service']));
  expect(named.filter((name) => !/^(one\.|two-)/.test(name))).toEqual([]);
});

test('a third one with a foreign prefix is refused by name in every service, and disturbs nobody', async () => {
  const { installation, load } = pair(0);
  const sent = load.sender.send(EVENTS / 5);
  const third = await SeveralRouters.prepare(prefixed('one.'));
  installations.push(third);
  const id = await ownerOf(installation);
  const named = new RegExp(`belong to installation ${id} .*PENSTOCK_PREFIX`);
  await expectRefused(third, {}, named);
  await expectRefused(third, { PENSTOCK_EVENTS_FROM: 'latest' }, named);
  await sent;
  await expectNothingWrong();
});

test('an installation is refused another prefix, and loses nothing of what it has not delivered', async () => {
  const { installation, load } = pair(1);
  await Promise.all(installation.routers.map((router) => router.stop()));
  await load.sender.send(EVENTS / 5);
  await Promise.all(installation.services.map((service) => service.stop()));
  const before = await asAdmin((admin) => admin.listTopics());
  const hint =
    /uses the log \S+\/two-, and this process would use \S+\/three\..*PENSTOCK_EVENTS_FROM/;
  await expectRefused(installation, { PENSTOCK_PREFIX: 'three.' }, hint);
  expect(await asAdmin((admin) => admin.listTopics())).toEqual(before);
  await Promise.all(installation.services.map((service) => service.start()));
  await expectNothingWrong();
});
