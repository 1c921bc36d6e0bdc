import { setTimeout as sleep } from 'node:timers/promises';
import { showingOutput } from '../harness/installation';
import { EMBEDDED } from '../harness/router-forms';
import type { RouterInstallation } from '../harness/router-installation';
import { answering, healthy } from './behaviours';
import { Load } from './load';
import type { Plan } from './plan';

jest.setTimeout(180_000);

const EVENTS = 200;
/** Time after which deliveries of a failing key are stored: two seconds, and a margin. */
const SPILLED_MS = 3_000;

/** Characters that PostgreSQL does not accept in texts: NUL, and unpaired surrogates. */
const STRANGE = 'a\u0000b \ud800 c \udc00';

const PLAN: Plan = {
  sources: [[0, 1]],
  destinations: [
    { name: 'healthy', batchSize: 10, usual: healthy(), troubles: [] },
    { name: 'other', batchSize: 1, usual: healthy(), troubles: [] },
  ],
  pipelines: [
    { name: 'goes', destination: 0, transformation: 'mapping' },
    { name: 'strange', destination: 1, transformation: 'function', throws: STRANGE },
  ],
};

describe('external texts that PostgreSQL does not accept', () => {
  let installation: RouterInstallation;
  let load: Load;

  beforeAll(async () => {
    installation = await EMBEDDED.start();
  });

  afterAll(() => installation.destroy());

  beforeEach(async () => {
    load = await Load.open(installation, { eventsPerSecond: 400 }, PLAN);
  });

  afterEach(() => load.close());

  const test = (title: string, work: () => Promise<void>): void => {
    it(
      title,
      showingOutput(() => installation, work),
    );
  };

  test('are stored as reasons when a function throws them, and block nothing', async () => {
    await load.sender.send(EVENTS);
    expect(await load.wrong()).toEqual([]);
    expect(load.fanOut.ledger.repeated).toBe(0);
  });

  test('are stored as reasons of retried requests, and block nothing', async () => {
    const other = load.fanOut.server('other');
    other.behaviour = () => ({ ...answering(503)([]), text: `no: ${STRANGE}` });
    await load.sender.send(EVENTS);
    await sleep(SPILLED_MS);
    other.behaviour = healthy();
    expect(await load.wrong()).toEqual([]);
    expect(load.fanOut.ledger.repeated).toBe(0);
  });
});
