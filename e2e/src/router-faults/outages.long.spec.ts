import { setTimeout as sleep } from 'node:timers/promises';
import { freeze } from '../harness/freeze';
import { showingOutput } from '../harness/installation';
import { EMBEDDED, ON_KAFKA } from '../harness/router-forms';
import type { RouterInstallation } from '../harness/router-installation';
import { SeededRandom } from '../harness/seeded-random';
import { Load } from './load';
import { say } from './say';
import { formsOf, sized } from './sizes';

jest.setTimeout(sized(480_000, 600_000));

const EVENTS_PER_SECOND = 300;
/** Longer than a lease of ten seconds, so that other routers take the partitions over. */
const ROUTER_AWAY_MS = sized(14_000, 20_000);
const DATABASE_AWAY_MS = sized(15_000, 60_000);
/** Time of load before and after a fault. */
const AROUND_MS = 3_000;

const random = SeededRandom.fromEnvironment();

describe.each(formsOf(ON_KAFKA, EMBEDDED))('$form', ({ form, start }) => {
  let installation: RouterInstallation;
  let load: Load;

  beforeAll(async () => {
    installation = await start();
  });

  afterAll(() => installation.destroy());

  beforeEach(async () => {
    load = await Load.open(installation, { eventsPerSecond: EVENTS_PER_SECOND });
  });

  afterEach(() => load.close());

  const test = (title: string, work: () => Promise<void>): void => {
    it(
      title,
      showingOutput(() => installation, work),
    );
  };

  /** Runs load before, during and after an outage. @returns the number of events accepted during it. */
  const outage = async (begin: () => () => void, ms: number): Promise<number> => {
    const sending = load.sender.sendUntilStopped();
    await sleep(AROUND_MS);
    const before = load.accepted.length;
    const end = begin();
    await sleep(ms);
    const during = load.accepted.length - before;
    end();
    await sleep(AROUND_MS);
    load.sender.stop();
    await sending;
    return during;
  };

  test('delivers everything and counts each event once when the database does not answer for a while', async () => {
    const during = await outage(() => installation.freezeDatabase(), DATABASE_AWAY_MS);
    const wrong = await load.wrong();
    say(form, { seed: random.seed, ...load.facts, during });
    expect(wrong).toEqual([]);
    // With Kafka, intake does not need the database.
    if (form === ON_KAFKA.form) expect(during).toBeGreaterThan(EVENTS_PER_SECOND);
  });

  if (form !== ON_KAFKA.form) return;

  test('delivers everything in order when a router is frozen for a while', async () => {
    const router = random.pick(installation.routers);
    const during = await outage(() => freeze(router.pid ?? 0), ROUTER_AWAY_MS);
    const wrong = await load.wrong();
    say(form, { seed: random.seed, ...load.facts, during });
    expect(wrong).toEqual([]);
    expect(during).toBeGreaterThan(EVENTS_PER_SECOND);
  });
});
