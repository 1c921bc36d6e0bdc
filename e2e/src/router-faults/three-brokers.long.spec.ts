import { showingOutput } from '../harness/installation';
import { SeededRandom } from '../harness/seeded-random';
import { SeveralRouters } from '../harness/several-routers';
import { until } from '../harness/until';
import { Load } from './load';
import { MayRepeat } from './may-repeat';
import { say } from './say';
import { sized } from './sizes';
import { Troubles } from './troubles';

jest.setTimeout(sized(300_000, 1_200_000));

const EVENTS = sized(2_400, 50_000);
const EVENTS_PER_SECOND = 300;

const random = SeededRandom.fromEnvironment();

describe('three brokers', () => {
  let installation: SeveralRouters;
  let load: Load;

  beforeAll(async () => {
    installation = await SeveralRouters.start({ brokers: 3 });
    load = await Load.open(installation, { eventsPerSecond: EVENTS_PER_SECOND });
  }, 180_000);

  afterAll(async () => {
    await installation.destroy();
    await load.close();
  });

  it(
    'deliver everything in order when one is killed for good, and then a router',
    showingOutput(
      () => installation,
      async () => {
        const mayRepeat = new MayRepeat(load.fanOut.ledger, installation.databaseUrl);
        const troubles = new Troubles(load.fanOut, random);
        const sent = load.sender.send(EVENTS);
        const accepted = (share: number): Promise<void> =>
          until('so much is accepted', () => load.accepted.length >= share * EVENTS, 240_000);
        await accepted(0.25);
        await random.pick(installation.cluster?.nodes ?? []).kill9();
        await accepted(0.6);
        const router = random.pick(installation.routers);
        await mayRepeat.during(() => router.kill9());
        await router.start();
        await sent;
        await troubles.stop();
        const wrong = await load.wrong();
        say('three brokers', { seed: random.seed, ...load.facts, atMost: mayRepeat.count });
        expect(wrong).toEqual([]);
        expect(load.fanOut.ledger.repeated).toBeLessThanOrEqual(mayRepeat.count);
      },
    ),
  );
});
