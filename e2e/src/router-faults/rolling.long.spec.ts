import { setTimeout as sleep } from 'node:timers/promises';
import { showingOutput } from '../harness/installation';
import { ON_KAFKA, ON_POSTGRES } from '../harness/router-forms';
import type { RouterInstallation } from '../harness/router-installation';
import { SeededRandom } from '../harness/seeded-random';
import { Load } from './load';
import { say } from './say';
import { IS_LONG, sized } from './sizes';
import { Troubles } from './troubles';
import { longestWaitMs } from './waits';

jest.setTimeout(sized(480_000, 1_200_000));

const ROUNDS = sized(1, 10);
const EVENTS_PER_SECOND = sized(50, 200);
const USERS_PER_SOURCE = 20;
/** Pause between two services, as of an orchestrator that waits until a replica is stable. */
const SETTLE_MS = 500;
/** Longest time without deliveries of a partition during an orderly hand-over; longer on a loaded machine. */
const MOST_SILENCE_MS = sized(20_000, 10_000);

const random = SeededRandom.fromEnvironment();

describe.each(IS_LONG ? [ON_KAFKA, ON_POSTGRES] : [ON_KAFKA])('$form', ({ form, start }) => {
  let installation: RouterInstallation;
  let load: Load;

  beforeAll(async () => {
    installation = await start();
    load = await Load.open(installation, {
      eventsPerSecond: EVENTS_PER_SECOND,
      usersPerSource: USERS_PER_SOURCE,
    });
  });

  afterAll(async () => {
    await installation.destroy();
    await load.close();
  });

  /** Replaces each service in turn under load. @returns how each has ended. */
  const roll = async (): Promise<unknown[]> => {
    const endings: unknown[] = [];
    for (let round = 0; round < ROUNDS; round += 1)
      for (const service of random.shuffled(installation.services)) {
        endings.push(await service.stop());
        await service.start();
        await sleep(SETTLE_MS);
      }
    return endings;
  };

  it(
    'delivers everything once and answers no errors while each service is replaced in turn',
    showingOutput(
      () => installation,
      async () => {
        const { fanOut, sender } = load;
        const troubles = new Troubles(fanOut, random);
        const sending = sender.sendUntilStopped();
        const endings = await roll();
        sender.stop();
        await sending;
        await troubles.stop();
        const wrong = await load.wrong();
        const longestMs = longestWaitMs(fanOut.ledger, sender.accepted, 'healthy-all');
        say(form, { seed: random.seed, ...load.facts, longestMs, endings });
        expect(wrong).toEqual([]);
        expect(fanOut.ledger.repeated).toBe(0);
        expect([...sender.refused.keys()].filter((outcome) => /^5/.test(outcome))).toEqual([]);
        expect(longestMs).toBeLessThan(MOST_SILENCE_MS);
        expect(new Set(endings)).toEqual(new Set([0]));
      },
    ),
  );
});
