import { setTimeout as sleep } from 'node:timers/promises';
import { showingOutput } from '../harness/installation';
import { EMBEDDED, ON_KAFKA } from '../harness/router-forms';
import type { RouterInstallation } from '../harness/router-installation';
import { until } from '../harness/until';
import { answering, healthy, refusing } from './behaviours';
import { Load } from './load';
import type { Plan, PlannedDestination } from './plan';
import { formsOf } from './sizes';

jest.setTimeout(180_000);

const EVENTS = 40;
/** Time after which deliveries of a failing key are stored: two seconds, and a margin. */
const SPILLED_MS = 3_000;

const everything = (): boolean => true;

const WAITING: PlannedDestination = {
  name: 'waiting',
  batchSize: 1,
  usual: healthy(),
  troubles: [],
};
const HEALTHY: PlannedDestination = { ...WAITING, name: 'healthy' };
const REFUSING: PlannedDestination = {
  ...WAITING,
  name: 'refusing',
  usual: refusing(everything),
  isRefused: everything,
};

/** One source, whose events wait for one destination and have ended at the others. */
const planOf = (...destinations: readonly PlannedDestination[]): Plan => ({
  sources: [destinations.map((_, index) => index)],
  destinations,
  pipelines: destinations.map(({ name }, destination) => ({
    name: `to the ${name}`,
    destination,
    transformation: 'mapping',
  })),
});

const CASES = [
  { beside: [HEALTHY], when: 'at once', afterMs: 500 },
  { beside: [REFUSING, HEALTHY], when: 'at once', afterMs: 500 },
  { beside: [REFUSING, HEALTHY], when: 'with rows in the store', afterMs: SPILLED_MS },
].map((each) => ({ ...each, names: each.beside.map(({ name }) => name) }));

describe.each(formsOf(ON_KAFKA, EMBEDDED))('$form', ({ start }) => {
  let installation: RouterInstallation;
  let load: Load;

  beforeAll(async () => {
    installation = await start();
  });

  afterAll(() => installation.destroy());

  afterEach(() => load.close());

  const restartRouters = async (): Promise<void> => {
    await Promise.all(installation.routers.map((router) => router.stop()));
    load.fanOut.calm();
    await Promise.all(installation.routers.map((router) => router.start()));
  };

  it.each(CASES)(
    'ends each delivery once when it stops while one destination fails, $when, beside $names',
    ({ beside, afterMs, names }) =>
      showingOutput(
        () => installation,
        async () => {
          load = await Load.open(
            installation,
            { eventsPerSecond: 400 },
            planOf(WAITING, ...beside),
          );
          const { fanOut, sender } = load;
          const requests = (): number[] => names.map((name) => fanOut.server(name).requests);
          fanOut.server('waiting').behaviour = answering(503);
          await sender.send(EVENTS);
          await until('the others have had all', () => Math.min(...requests()) >= EVENTS);
          await sleep(afterMs);
          await restartRouters();
          expect(await load.wrong()).toEqual([]);
          expect(requests()).toEqual(names.map(() => EVENTS));
          expect(fanOut.ledger.repeated).toBe(0);

          await sender.send(EVENTS);
          expect(await load.wrong()).toEqual([]);
          expect(requests()).toEqual(names.map(() => 2 * EVENTS));
        },
      )(),
  );
});
