import { showingOutput } from '../harness/installation';
import { EMBEDDED, ON_KAFKA } from '../harness/router-forms';
import type { RouterInstallation } from '../harness/router-installation';
import { SeededRandom } from '../harness/seeded-random';
import type { ServiceProcess } from '../harness/service-process';
import { SeveralRouters } from '../harness/several-routers';
import { until } from '../harness/until';
import { Load } from './load';
import { MayRepeat } from './may-repeat';
import { say } from './say';
import { formsOf, sized } from './sizes';
import { Troubles } from './troubles';

jest.setTimeout(sized(480_000, 1_200_000));

const EVENTS = sized(5_000, 50_000);
const KILLS = sized(3, 20);
const EVENTS_PER_SECOND = 500;

const random = SeededRandom.fromEnvironment();

/** A fault that happens once. */
type Fault = () => Promise<void>;

describe.each(formsOf(ON_KAFKA, EMBEDDED))('$form', ({ form, start }) => {
  let installation: RouterInstallation;
  let load: Load;
  let mayRepeat: MayRepeat;

  beforeAll(async () => {
    installation = await start();
    load = await Load.open(installation, { eventsPerSecond: EVENTS_PER_SECOND });
    mayRepeat = new MayRepeat(load.fanOut.ledger, installation.databaseUrl);
  });

  afterAll(async () => {
    await installation.destroy();
    await load.close();
  });

  /** Kills a service; deliveries that a router had not committed may be repeated. */
  const kill = async (service: ServiceProcess): Promise<void> => {
    const end = () => service.kill9();
    await (installation.routers.includes(service) ? mayRepeat.during(end) : end());
    await service.start();
  };

  const kills = (): Fault[] => {
    const gateways = installation.gateways.map(({ process }) => process);
    const killable = [...new Set([...installation.routers, ...gateways])];
    return Array.from({ length: KILLS }, () => () => kill(random.pick(killable)));
  };

  /** Faults of the log and the database. */
  const outages = (several: SeveralRouters): Fault[] => [
    async () => several.cluster?.nodes[0]?.restart(),
    () => mayRepeat.during(() => several.restartDatabase()),
    () => mayRepeat.during(() => several.killDatabase()),
  ];

  it(
    'delivers everything in order and counts each event once when its processes are killed',
    showingOutput(
      () => installation,
      async () => {
        const others = installation instanceof SeveralRouters ? outages(installation) : [];
        const faults = random.shuffled([...kills(), ...sized([], others)]);
        const troubles = new Troubles(load.fanOut, random);
        const sent = load.sender.send(EVENTS);
        for (const [index, fault] of faults.entries()) {
          const at = ((index + random.next()) * EVENTS) / faults.length;
          await until('so much is accepted', () => load.accepted.length >= at, 120_000);
          await fault();
        }
        await sent;
        await troubles.stop();
        const wrong = await load.wrong();
        say(form, { seed: random.seed, ...load.facts, atMost: mayRepeat.count });
        expect(wrong).toEqual([]);
        expect(load.fanOut.ledger.repeated).toBeLessThanOrEqual(mayRepeat.count);
      },
    ),
  );
});
