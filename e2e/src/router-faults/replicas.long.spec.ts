import { setTimeout as sleep } from 'node:timers/promises';
import { showingOutput } from '../harness/installation';
import { SeededRandom } from '../harness/seeded-random';
import { SeveralRouters } from '../harness/several-routers';
import { Load } from './load';
import { MayRepeat } from './may-repeat';
import { say } from './say';
import { IS_LONG, sized } from './sizes';
import { waits } from './waits';

jest.setTimeout(480_000);

const EVENTS_PER_SECOND = 300;
/** Limit of an orderly hand-over; longer on a loaded machine. */
const MOST_MOVE_MS = sized(20_000, 10_000);
/** Limit of a take-over: lease, margin and the next roll call; longer on a loaded machine. */
const MOST_SUCCESSION_MS = 10_000 + 1_000 + sized(10_000, 3_000);
/** Time within which the others have taken over the partitions of a killed router. */
const SUCCESSION_MS = 14_000;
/** Pause between two changes of the routers. */
const SETTLE_MS = 4_000;

const random = SeededRandom.fromEnvironment();

describe.each(
  [
    { form: 'Kafka', brokers: 1 },
    { form: 'PostgreSQL', brokers: 0 },
  ].slice(0, IS_LONG ? 2 : 1) as { form: string; brokers: 0 | 1 }[],
)('routers on $form', ({ form, brokers }) => {
  let installation: SeveralRouters;
  let load: Load;

  beforeAll(async () => {
    installation = await SeveralRouters.start({ gateways: 1, routers: 2, brokers });
    load = await Load.open(installation, { eventsPerSecond: EVENTS_PER_SECOND });
  });

  afterAll(async () => {
    await installation.destroy();
    await load.close();
  });

  /** Longest wait, in milliseconds, of the events accepted from `fromMs` to `untilMs`. */
  const longestMs = (fromMs: number, untilMs: number): number => {
    const found = waits(load.fanOut.ledger, load.sender.accepted, 'healthy-all');
    const own = found.filter(({ acceptedMs }) => acceptedMs >= fromMs && acceptedMs < untilMs);
    return Math.round(own[0]?.waitMs ?? 0);
  };

  it(
    'share the partitions with a new one, and take over those of a killed one',
    showingOutput(
      () => installation,
      async () => {
        const startMs = performance.now();
        const sending = load.sender.sendUntilStopped();
        await sleep(SETTLE_MS);
        const third = await installation.makeRouter();
        await third.start();
        await sleep(SETTLE_MS);
        const { ledger } = load.fanOut;
        const { repeated } = ledger;
        const mayRepeat = new MayRepeat(ledger, installation.databaseUrl);
        await sleep(SETTLE_MS);
        const killMs = performance.now();
        const victim = random.pick(installation.routers);
        await mayRepeat.during(() => victim.kill9());
        await sleep(SUCCESSION_MS + SETTLE_MS);
        load.sender.stop();
        await sending;
        const wrong = await load.wrong();
        const move = longestMs(startMs, killMs - SETTLE_MS);
        const succession = longestMs(startMs, Number.POSITIVE_INFINITY);
        say(form, { seed: random.seed, ...load.facts, atMost: mayRepeat.count, move, succession });
        expect(wrong).toEqual([]);
        expect(repeated).toBe(0);
        expect(ledger.repeated).toBeLessThanOrEqual(mayRepeat.count);
        expect(move).toBeLessThan(MOST_MOVE_MS);
        expect(succession).toBeLessThan(MOST_SUCCESSION_MS);
      },
    ),
  );
});
