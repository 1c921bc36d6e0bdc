import { TOPIC } from '@penstock/contracts';
import { EventStream } from '@penstock/test-servers';
import { isDeepStrictEqual } from 'node:util';
import { Client } from 'pg';
import { Balancer } from '../harness/balancer';
import { eventually } from '../harness/eventually';
import { freeze } from '../harness/freeze';
import { showingOutput } from '../harness/installation';
import { loudLines } from '../harness/loud-lines';
import type { Gateway } from '../harness/router-installation';
import type { ServiceProcess } from '../harness/service-process';
import { SeveralRouters } from '../harness/several-routers';
import { until } from '../harness/until';
import { WebhookReceiver } from '../harness/webhook-receiver';
import { killBeforeSending, SECRET, told, unsigned, waiting } from './alert-calls';
import { ApiTraffic } from './api-traffic';
import { answering } from './behaviours';
import { ChangesUnderWay } from './changes-under-way';
import { CRASH_PLAN, failing } from './crash-plan';
import { DeliveredReplays } from './delivered-replays';
import { idOf } from './fan-out-event';
import { findings } from './findings';
import { Gate } from './gate';
import { Ledger } from './ledger';
import { listedDeliveries } from './listed-deliveries';
import { Load } from './load';
import { MayRepeat } from './may-repeat';
import { plannedEnding } from './plan';
import { Redrives } from './redrives';
import { ReplayRuns } from './replay-runs';
import { say } from './say';

jest.setTimeout(480_000);

const PATIENCE_MS = 150_000;
const EVENTS = 400;
const EVENTS_PER_SECOND = 200;
/** Rate while processes are replaced: each client asks more than once within a drain, so that it is told of it. */
const QUIET_EVENTS_PER_SECOND = 40;
const USERS_PER_SOURCE = 10;
/** Accepted events that are traced. */
const TRACED = 16;
/** So few that nothing is left out of a stream: each takes a record for itself and one for each of its deliveries. */
const LIVE_EVENTS_PER_SECOND = 15;
/** Longer than a balancer needs to notice, also on a busy machine. */
const DRAIN_SECONDS = 6;

const AUDIT_VERIFY = 'pipeline-service/dist/audit-verify-main.js';

/** Two replicas of each service, over the log in PostgreSQL: what holds for several processes and not for one. */
let installation: SeveralRouters;
let load: Load;
let database: Client;
let receiver: WebhookReceiver;

/** Ends what was started, in the order in which it is to be ended. */
const endings: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  receiver = await WebhookReceiver.open();
  endings.push(() => receiver.close());
  const env = { PENSTOCK_DRAIN_SECONDS: String(DRAIN_SECONDS) };
  installation = await SeveralRouters.start({ pipelineServices: 2, brokers: 0, env });
  endings.unshift(() => installation.destroy());
  await installation.startExecutor();
  const options = { eventsPerSecond: EVENTS_PER_SECOND, usersPerSource: USERS_PER_SOURCE };
  load = await Load.open(installation, { ...options, haveOwnConnections: true }, CRASH_PLAN);
  endings.push(() => load.close());
  database = new Client({ connectionString: installation.databaseUrl });
  await database.connect();
  endings.unshift(() => database.end());
}, 180_000);

afterAll(async () => {
  for (const end of endings) await end();
});

const ownersOfPartitions = async (): Promise<readonly unknown[]> => {
  const { rows } = await database.query<object>(
    'SELECT partition, member, epoch FROM penstock_router.partitions ORDER BY partition',
  );
  return rows;
};

const test = (title: string, work: () => Promise<void>): void => {
  it(
    title,
    showingOutput(() => installation, work),
  );
};

const killRouters = async (): Promise<void> => {
  await Promise.all(installation.routers.map((router) => router.kill9()));
};

const startRouters = async (): Promise<void> => {
  await Promise.all(installation.routers.map((router) => router.start()));
};

const isReady = async ({ opsAddress }: ServiceProcess): Promise<boolean> => {
  const answer = await fetch(`${opsAddress}/readyz`).catch(() => undefined);
  await answer?.arrayBuffer();
  return answer?.status === 200;
};

const nameOfPipeline = (id: string): string =>
  [...load.fanOut.pipelineIds].find(([, each]) => each === id)?.[0] ?? id;

/** The rejections that the plan demands of the accepted events. */
const plannedRejections = (): string[] =>
  CRASH_PLAN.pipelines
    .flatMap((pipeline) =>
      load.accepted.flatMap((event) => {
        const ending = plannedEnding(CRASH_PLAN, pipeline, event) ?? '';
        if (!ending.startsWith('Rejected')) return [];
        return [`${pipeline.name} ${idOf(event)} ${ending === 'Rejected 400' ? '400' : ''}`];
      }),
    )
    .sort();

/** How each pipeline has ended an event, as its trace shows it and as the plan demands it, where they differ. */
const wrongTraces = async (): Promise<readonly string[]> => {
  const { fanOut } = load;
  const step = Math.max(1, Math.floor(load.accepted.length / TRACED));
  const wrong: string[] = [];
  for (const event of load.accepted.filter((_, index) => index % step === 0)) {
    const { id = '' } = fanOut.sources[event.source] ?? {};
    const path = `/v1/events/${encodeURIComponent(idOf(event))}/trace?connection=${id}`;
    const { pipelines } = (await fanOut.change((api) => api.call('GET', path))) as {
      pipelines: { pipeline: string; state: string; code: string; step: string | null }[];
    };
    const found = pipelines.map(({ pipeline, state, code, step: failed }) => {
      const isOfFunction = state === 'Rejected' && failed === 'Transformation';
      const ending = isOfFunction ? 'Rejected by the function' : `${state} ${code}`.trim();
      return `${nameOfPipeline(pipeline)}: ${ending}`;
    });
    const planned = CRASH_PLAN.pipelines.map(
      (pipeline) => `${pipeline.name}: ${plannedEnding(CRASH_PLAN, pipeline, event) ?? ''}`,
    );
    const [shown, expected] = [found, planned].map((each) => [...each].sort().join(', '));
    if (shown !== expected) wrong.push(`${idOf(event)} is ${shown ?? ''}, not ${expected ?? ''}`);
  }
  return wrong;
};

const post = async (gateway: number, body: string): Promise<number> => {
  const headers = { Authorization: `Bearer ${load.fanOut.sources[0]?.writeKey ?? ''}` };
  const { address = '' } = installation.gateways[gateway] ?? {};
  const answer = await fetch(`${address}/v1/events`, { method: 'POST', headers, body });
  await answer.arrayBuffer();
  return answer.status;
};

/** Number of refused events of the first source. */
const refused = async (): Promise<number> => {
  const path = `/v1/connections/${load.fanOut.sources[0]?.id ?? ''}/refused-events/counts`;
  const { counts } = (await load.fanOut.change((api) => api.call('GET', path))) as {
    counts: readonly { count: number }[];
  };
  return counts.reduce((sum, { count }) => sum + count, 0);
};

const healthsOf = async (destination: string): Promise<readonly string[]> => {
  const path = `/v1/audit?type=HealthChanged&object=${load.fanOut.destinationId(destination)}`;
  const { facts } = (await load.fanOut.change((api) => api.call('GET', path))) as {
    facts: readonly { after: { status: string } }[];
  };
  return facts.map(({ after }) => after.status).reverse();
};

test('delivers everything once and in order, and tells and applies each change once, when a router, a gateway and a pipeline service are killed and the other router is frozen', async () => {
  const { fanOut, sender } = load;
  const webhook = { url: receiver.url, signingSecret: SECRET };
  const alert = { name: 'An alert', kind: 'health', webhook };
  await fanOut.change((api) => api.call('POST', '/v1/alerts', alert));
  fanOut.server('failing').behaviour = failing;
  expect(await post(0, '[{"messageId":"no event"}]')).toBe(400);
  const changes = new ChangesUnderWay(installation, fanOut.destinationId('healthy'));
  await sender.send(EVENTS / 4);
  let sent: Promise<void> | undefined;
  let thaw: (() => void) | undefined;
  /** Kills and freezes while events and changes are under way. */
  const kill = async (): Promise<void> => {
    const before = load.accepted.length;
    sent = sender.send(EVENTS);
    await changes.more(5);
    await until(
      () => `${String(load.accepted.length - before)} of ${String(EVENTS / 2)} are accepted`,
      () => load.accepted.length >= before + EVENTS / 2,
    );
    await mayRepeat.during(async () => {
      thaw = freeze(frozen.pid ?? 0);
      await Promise.all([killed, ...others].map((service) => service.kill9()));
    });
    // What waits for it by now is retried by whoever takes it over.
    fanOut.calm();
  };
  const [killed, frozen] = installation.routers as [ServiceProcess, ServiceProcess];
  const [{ process: gateway }] = installation.gateways as [Gateway];
  const others = [installation.configuration, gateway];
  const mayRepeat = new MayRepeat(fanOut.ledger, installation.databaseUrl, [
    ...fanOut.pipelineIds.values(),
  ]);
  const receivers = [receiver];
  await killBeforeSending(1, {
    ...{ installation, database, receivers, patienceMs: PATIENCE_MS, kill },
    // It takes over the partitions of the frozen one, when its leases have ended.
    start: () => killed.start(),
  });
  await Promise.all(others.map((service) => service.start()));
  await changes.more(5);
  await changes.stop();
  await sent;

  const wrong = await load.wrong();
  const facts = { changes: changes.answered.size, failed: changes.failed };
  say('crash', { ...load.facts, ...facts, atMost: mayRepeat.count });
  expect(wrong).toEqual([]);
  expect(fanOut.ledger.repeated).toBeLessThanOrEqual(mayRepeat.count);
  expect(await wrongTraces()).toEqual([]);
  const listed = await listedDeliveries(fanOut, '', 37);
  const written = listed.map(
    (each) => `${nameOfPipeline(each.pipeline)} ${each.messageId} ${each.code}`,
  );
  expect(written.sort()).toEqual(plannedRejections());
  expect(new Set(written.map((line) => line.split(' ')[0]))).toEqual(
    new Set(['picky-buy', 'failing-bad']),
  );
  expect(await refused()).toBe(1);

  expect(await changes.wrong()).toEqual([]);
  const { exitCode, output } = await installation.configuration.run(AUDIT_VERIFY);
  expect(output).toMatch(/^\d+ facts of \d+ objects: no difference$/m);
  expect(exitCode).toBe(0);

  await until('the alert is told', () => told(receiver).includes('failing Began'), PATIENCE_MS);
  await until('all is sent', async () => (await waiting(database)) === 0, PATIENCE_MS);
  expect(told(receiver).filter((each) => each === 'failing Began')).toHaveLength(1);
  expect(unsigned(receiver)).toEqual([]);
  const healths = await healthsOf('failing');
  expect(healths).toEqual(healths.filter((status, at) => status !== healths[at - 1]));

  thaw?.();
  await until('the frozen router is ready again', () => isReady(frozen));
  await sender.send(EVENTS / 10);
  expect(await load.wrong()).toEqual([]);
});

test('shows whoever watches every event and its outcomes once, over a kill of a gateway', async () => {
  const log = installation.openLog();
  const ends = await log.endOffsets(TOPIC.live).finally(() => log.close());
  expect(ends).toEqual([0]);
  const slow = await Load.open(
    installation,
    { eventsPerSecond: LIVE_EVENTS_PER_SECOND },
    CRASH_PLAN,
  );
  const streams: EventStream[] = [];
  const watch = async (nth: number, after = ''): Promise<EventStream> => {
    const { address = '' } = installation.gateways[nth] ?? {};
    const headers = after === '' ? {} : { 'Last-Event-ID': after };
    const url = `${address}/v1/events/live?connection=${slow.fanOut.sources[0]?.id ?? ''}`;
    const stream = await EventStream.open(url, installation.apiKey, headers);
    streams.push(stream);
    expect(stream.status).toBe(200);
    return stream;
  };
  const shown = (...of: readonly EventStream[]): string[] =>
    of.flatMap(({ events }) =>
      events.flatMap(({ name, data }) => (name === 'event' ? [String(data['messageId'])] : [])),
    );
  const accepted = (): string[] => slow.accepted.filter(({ source }) => source === 0).map(idOf);
  const missing = (wanted: readonly string[], of: readonly string[]): string[] =>
    wanted.filter((id) => !of.includes(id));
  try {
    const [one, other] = [await watch(0), await watch(1)];
    // Routers follow what is watched a moment later: the first events may pass before.
    await until('both watch', async () => {
      await slow.sender.send(10);
      return shown(one).length > 0 && shown(other).length > 0;
    });
    await until(
      () => `${String(missing(accepted(), shown(one)).length)} events are not shown`,
      () => [one, other].every((each) => shown(each).includes(accepted().at(-1) ?? '')),
    );
    const before = accepted().length;
    const owners = await ownersOfPartitions();
    const sent = slow.sender.send(60);
    await until('more is accepted', () => accepted().length > before);
    const [gateway] = installation.gateways;
    await gateway?.process.kill9();
    await one.until(({ hasEnded }) => hasEnded);
    const again = await watch(1, one.lastId);
    await gateway?.process.start();
    await sent;
    const wanted = accepted().slice(before);
    /** What of these is not shown, unless the stream says that so many were left out: a stall makes events come at once. */
    const unlessLeftOut = (gone: readonly string[], ...of: readonly EventStream[]): string[] => {
      const dropped = of.flatMap(({ events }) => events.filter(({ name }) => name === 'dropped'));
      const leftOut = dropped.reduce((sum, { data }) => sum + Number(data['count']), 0);
      return gone.length > leftOut ? [...gone, `${String(leftOut)} were left out`] : [];
    };
    expect(
      await eventually(() => [
        ...unlessLeftOut(missing(wanted, shown(one, again)), one, again),
        ...unlessLeftOut(missing(wanted, shown(other)), other),
      ]),
    ).toEqual([]);
    for (const all of [shown(one, again), shown(other)]) expect(new Set(all).size).toBe(all.length);
    const withoutOutcome = (): string[] => {
      const ended = new Set(
        other.events.flatMap(({ name, data }) =>
          name === 'outcome' ? [`${String(data['event'])} ${String(data['pipeline'])}`] : [],
        ),
      );
      return other.events.flatMap(({ name, data }) => {
        if (name !== 'event') return [];
        const pipelines = data['pipelines'] as { pipeline: string; state: string }[];
        return pipelines
          .filter(({ state }) => state === 'Open')
          .map(({ pipeline }) => `${String(data['id'])} ${pipeline}`)
          .filter((each) => !ended.has(each));
      });
    };
    // The router that has shown an event shows its outcomes, unless another one has the partition by then.
    const openOf = await eventually(() => unlessLeftOut(withoutOutcome(), other));
    if (isDeepStrictEqual(await ownersOfPartitions(), owners)) expect(openOf).toEqual([]);
    expect(await slow.wrong()).toEqual([]);
  } finally {
    for (const stream of streams) stream.close();
    await slow.close();
  }
});

test('redrives and replays exactly what was chosen, once and in order, when both routers are killed in the middle', async () => {
  const { fanOut } = load;
  const redrives = new Redrives(fanOut);
  const replays = new DeliveredReplays(fanOut);
  const [failingServer, healthyServer] = [fanOut.server('failing'), fanOut.server('healthy')];
  failingServer.behaviour = answering(400);
  await load.sender.send(EVENTS / 2);
  const open = async (): Promise<string[]> => {
    const all = await Promise.all(
      CRASH_PLAN.pipelines.map(({ name }) => redrives.conservation(name)),
    );
    return all.flatMap((each, at) =>
      each.open > 0
        ? [`${CRASH_PLAN.pipelines[at]?.name ?? ''}: ${String(each.open)} are open`]
        : [],
    );
  };
  expect(await eventually(open)).toEqual([]);

  const events = [...load.accepted];
  const again = new Ledger();
  healthyServer.ledgerOf = () => again;
  const toRedrive = new Gate(CRASH_PLAN.destinations[2]!.usual, 1);
  const toReplay = new Gate(CRASH_PLAN.destinations[0]!.usual, 1);
  failingServer.behaviour = toRedrive.behaviour;
  healthyServer.behaviour = toReplay.behaviour;
  const names = ['failing-look', 'failing-bad'];
  const rejected = await Promise.all(names.map((name) => redrives.countBy(name, { code: '400' })));
  expect(Math.min(...rejected)).toBeGreaterThan(10);
  const jobs = await Promise.all(names.map((name) => redrives.create(name, { code: '400' })));
  for (const name of names) fanOut.redriven.add(name);
  expect(jobs.map(({ count }) => count)).toEqual(rejected);
  const replay = await replays.create('healthy-all');
  await until(
    () => `${String(toRedrive.unanswered)} and ${String(toReplay.unanswered)} requests wait`,
    () => toRedrive.unanswered > 0 && toReplay.unanswered > 0 && again.distinct > 0,
  );
  const committed = await replays.committed();
  const before = fanOut.ledger.repeated;
  const mayRepeat = new MayRepeat(fanOut.ledger, installation.databaseUrl, [
    ...fanOut.pipelineIds.values(),
  ]);
  await mayRepeat.during(killRouters);
  const replayedAtMost = Math.max(0, again.distinct - committed);
  toRedrive.open();
  toReplay.open();
  await startRouters();

  const running = async (): Promise<string[]> => {
    const all = await Promise.all([...jobs.map((job) => redrives.get(job)), replays.get(replay)]);
    return all.filter(({ state }) => state === 'Running').map((each) => JSON.stringify(each));
  };
  expect(await eventually(running, PATIENCE_MS)).toEqual([]);
  for (const [at, job] of jobs.entries())
    expect(await redrives.get(job)).toMatchObject({
      ...{ state: 'Succeeded', chosen: rejected[at], delivered: rejected[at] },
      ...{ rejected: 0, left: 0, parked: 0 },
    });
  const { deliveries } = await replays.get(replay);
  // Requests that a killed gateway did not answer were sent again.
  const { duplicates = 0 } = deliveries ?? {};
  expect(deliveries).toMatchObject({
    ...{ events: events.length + duplicates, delivered: events.length },
    ...{ open: 0, left: 0, rejected: 0 },
  });
  const runs = new ReplayRuns(fanOut);
  const id = replay.path.split('/').at(-1) ?? '';
  await until('its run has ended', async () => (await runs.get(id)).endTime !== null);
  expect(await runs.get(id)).toMatchObject({
    ...{ trigger: 'Replay', replayMode: 'deliver', status: 'Succeeded', progress: null },
    passed: Array.from({ length: 6 }, () => events.length),
  });
  const pipelines = CRASH_PLAN.pipelines.filter(({ name }) => name === 'healthy-all');
  expect(findings({ plan: { ...CRASH_PLAN, pipelines }, ledger: again, events })).toEqual([]);
  expect(again.repeated).toBeLessThanOrEqual(replayedAtMost);
  healthyServer.ledgerOf = () => fanOut.ledger;
  expect(await load.wrong()).toEqual([]);
  say('redrive and replay', { rejected, replayedAtMost, repeated: again.repeated, ...load.facts });
  expect(fanOut.ledger.repeated - before).toBeLessThanOrEqual(mayRepeat.count);
});

const SLOW_LOG = /the log did not take an append in time/;

/** Replaces a service. @returns how it has ended: its exit code, and all warnings since the signal. */
const replace = async (service: ServiceProcess): Promise<object> => {
  const from = service.output.length;
  const code = await service.stop();
  const loud = loudLines(service, from);
  await service.start();
  return { service: service.name, code, loud };
};

/** Values that no service writes to any topic. */
const FOREIGN = ['{', 'null', '7', '[]', '{}', '{"form":1}', '{"position":"1","state":{"kind":7}}'];

/** Appends them to every topic, each with a key of its own: none is compacted away. */
const appendForeign = async (): Promise<void> => {
  const log = installation.openLog();
  try {
    for (const topic of Object.values(TOPIC).filter((name) => name !== TOPIC.installation))
      await log.append(
        topic,
        FOREIGN.map((value, nth) => ({ key: `key-${String(nth)}`, value })),
      );
  } finally {
    await log.close();
  }
};

test('fails no request, repeats nothing and says nothing loud while each process is replaced in turn, beside records on every topic that cannot be read', async () => {
  const { fanOut, sender } = load;
  await appendForeign();
  const balancer = new Balancer(installation.gateways.map(({ address }) => address));
  const { repeated } = fanOut.ledger;
  fanOut.server('failing').behaviour = failing;
  sender.refused.clear();
  const gateways = installation.gateways.map(({ process }) => process);
  const before = gateways.map(({ output }) => output.length);
  const sending = sender.sendUntilStopped(QUIET_EVENTS_PER_SECOND);
  const traffic = new ApiTraffic(fanOut, balancer);
  const ended: object[] = [];
  for (const service of installation.services) {
    const gateway = installation.gateways.find(({ process }) => process === service);
    if (gateway === undefined) {
      ended.push(await replace(service));
      continue;
    }
    const ending = replace(service);
    await until('it has noticed the signal', () => !balancer.isUsing(gateway.address));
    const answer = await fetch(`${gateway.address}/v1/connectors`, {
      headers: { Authorization: `Bearer ${installation.apiKey}`, Connection: 'close' },
    });
    expect(answer.status).toBe(200);
    ended.push(await ending);
    await until('the balancer uses the gateway again', () => balancer.isUsing(gateway.address));
  }
  await traffic.stop();
  sender.stop();
  await sending;
  fanOut.calm();
  const leftOver = await traffic.leftOver();
  await balancer.close();
  const wrong = await load.wrong();
  const { reads, changes, failures } = traffic;
  say('replaced', { reads, changes, ...load.facts });
  expect(ended).toEqual(
    installation.services.map(({ name }) => ({ service: name, code: 0, loud: [] })),
  );
  expect(failures).toEqual([]);
  // On a machine that is too busy for its database, an append may take longer than a gateway waits: it says so.
  const isLogSlow = gateways.some(({ output }, at) => SLOW_LOG.test(output.slice(before[at])));
  if (isLogSlow) sender.refused.delete('503');
  expect(Object.fromEntries(sender.refused)).toEqual({});
  expect(leftOver).toEqual([]);
  expect(wrong).toEqual([]);
  expect(fanOut.ledger.repeated).toBe(repeated);
});
