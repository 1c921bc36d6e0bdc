import { setTimeout as sleep } from 'node:timers/promises';
import { areDelivered, distinct, firstDeliveries } from './harness/deliveries';
import { makeFlow } from './harness/flow';
import { FORMS } from './harness/forms';
import { type Installation, showingOutput } from './harness/installation';
import { type PipelineCount, pipelineCounts } from './harness/pipeline-counts';
import { Receiver } from './harness/receiver';
import { SteadySender } from './harness/steady-sender';
import { until } from './harness/until';
import { sized } from './router-faults/sizes';

jest.setTimeout(300_000);

const KEYS = 25;
const EVENTS_PER_SECOND = 1_000;
/** Events that are sent for each fault. */
const PART = sized(500, 1_250);
/** What happens, one after the other. */
const FAULTS = sized(['crash', 'restart'], ['crash', 'crash', 'crash', 'restart']);

/** Events per request, and its duration: longer than the interval of commits, so that much is in flight. */
const BATCH = 100;
const LATENCY_MS = 250;

/** Time within which requests that a killed process has sent arrive. */
const ON_THE_WIRE_MS = 500;

const FILTER = {
  logical: 'and',
  conditions: [{ property: 'type', operator: 'is', values: ['track'] }],
};
const MAPPING = 'map("key", anonymousId, "number", properties.number)';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const say = (form: string, facts: object): void => {
  process.stdout.write(`${form}: ${JSON.stringify(facts)}\n`);
};

describe.each(FORMS)('$form', ({ form, start }) => {
  let installation: Installation;
  let receiver: Receiver;
  let sender: SteadySender;
  let pipeline: string;
  const opened: { close(): Promise<void> }[] = [];

  beforeAll(async () => {
    installation = await start();
  });

  afterAll(() => installation.destroy());

  beforeEach(async () => {
    receiver = await Receiver.open();
    opened.push(receiver);
    const { url } = receiver;
    const flow = await makeFlow(installation, {
      url,
      batchSize: BATCH,
      filter: FILTER,
      mapping: MAPPING,
    });
    ({ pipeline } = flow);
    const { writeKey } = flow;
    const { address } = installation;
    sender = new SteadySender({
      address,
      writeKey,
      keys: KEYS,
      eventsPerSecond: EVENTS_PER_SECOND,
    });
    opened.push(sender);
  });

  afterEach(async () => {
    await installation.resumeLog();
    for (const each of opened.splice(0)) await each.close();
  });

  const test = (title: string, body: () => Promise<void>): void => {
    it(
      title,
      showingOutput(() => installation, body),
    );
  };

  const allDelivered = (): Promise<void> =>
    until('everything that was accepted is delivered', () =>
      areDelivered(sender.accepted, receiver.delivered),
    );

  /** Checks that all events of every key arrived, in order. */
  const expectInOrder = (perKey: number): void => {
    const first = firstDeliveries(receiver.delivered);
    expect(first.size).toBe(KEYS);
    for (const [key, delivered] of first)
      expect({ key, delivered }).toEqual({ key, delivered: numbers(perKey) });
  };

  /** Number of attempts that are not counted as delivered in the database; waits while the database is unavailable. */
  const uncommitted = async (): Promise<number> => {
    let counts: readonly PipelineCount[] = [];
    await until('the database answers', () =>
      pipelineCounts(installation.databaseUrl).then(
        (present) => {
          counts = present;
          return true;
        },
        () => false,
      ),
    );
    const committed = counts
      .filter((each) => each.pipeline === pipeline && each.state === 'Delivered')
      .reduce((sum, { count }) => sum + count, 0);
    return Math.max(0, distinct(receiver.delivered) - committed);
  };

  /**
   * Kills the services that an event passes, and starts them again.
   *
   * @returns the highest number of deliveries that this may repeat.
   */
  const crash = async (): Promise<number> => {
    const { onTheWay } = installation;
    await Promise.all(onTheWay.map((service) => service.kill9()));
    await sleep(ON_THE_WIRE_MS);
    const atMost = await uncommitted();
    await Promise.all(onTheWay.map((service) => service.start()));
    return atMost;
  };

  /**
   * Restarts the log's server.
   *
   * @returns as {@link crash}: when the log is in the database, the router may lose its leases on a slow machine.
   */
  const restartLog = async (): Promise<number> => {
    await installation.restartLog();
    return installation.brokers.length > 0 ? 0 : uncommitted();
  };

  test('delivers everything in order when its processes are killed and the log restarts', async () => {
    receiver.latencyMs = LATENCY_MS;
    let mayBeTwice = 0;
    for (const fault of FAULTS) {
      const before = distinct(receiver.delivered);
      const sent = sender.send(PART);
      await until(
        'a part of it is delivered',
        () => distinct(receiver.delivered) >= before + PART / 4,
      );
      mayBeTwice += await (fault === 'crash' ? crash() : restartLog());
      await sent;
      await allDelivered();
    }
    expect(sender.accepted).toHaveLength(FAULTS.length * PART);
    const twice = receiver.delivered.length - distinct(receiver.delivered);
    say(form, {
      accepted: sender.accepted.length,
      deliveredTwice: twice,
      atMost: mayBeTwice,
      refusedAttempts: Object.fromEntries(sender.refused),
    });
    expectInOrder((FAULTS.length * PART) / KEYS);
    expect(twice).toBeLessThanOrEqual(mayBeTwice);
  });

  test('delivers everything in order when a destination fails and recovers', async () => {
    receiver.status = 500;
    await sender.send(1_000);
    // After ten failures the circuit is open, and only probes are sent.
    await until('the destination has refused', () => receiver.attempts.length >= KEYS / 2);
    expect(receiver.delivered).toEqual([]);
    receiver.status = 200;
    await allDelivered();
    expectInOrder(1_000 / KEYS);
    expect(receiver.delivered).toHaveLength(1_000);
  });

  test('answers 503 within two seconds while the log is unavailable, and recovers by itself', async () => {
    await sender.send(KEYS);
    await installation.stopLog();
    let shortestMs = Infinity;
    for (let tries = 0; tries < 3 && shortestMs >= 2_500; tries += 1) {
      const begin = performance.now();
      const { outcome, retryAfterS } = await sender.post({ type: 'identify', userId: 'ada' });
      const tookMs = Math.round(performance.now() - begin);
      shortestMs = Math.min(shortestMs, tookMs);
      say(form, { outcome, retryAfterS, tookMs });
      expect(outcome).toBe('503');
      expect(retryAfterS).toBeGreaterThanOrEqual(5);
      expect(retryAfterS).toBeLessThanOrEqual(30);
    }
    expect(shortestMs).toBeLessThan(2_500);
    const sent = sender.send(10 * KEYS);
    await until('each key was refused', () => (sender.refused.get('503') ?? 0) >= KEYS);
    expect(sender.accepted).toHaveLength(KEYS);
    await installation.resumeLog();
    await sent;
    await allDelivered();
    expectInOrder(11);
  });
});
