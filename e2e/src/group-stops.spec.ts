import { resolve } from 'node:path';
import { showingOutput } from './harness/installation';
import { SingleProcess } from './harness/single-process';
import { until } from './harness/until';
import { CRASH_PLAN, failing } from './router-faults/crash-plan';
import { Load } from './router-faults/load';

jest.setTimeout(300_000);

/** What `npm start` runs. npm itself ends by the signal, whatever the exit code of this is. */
const LAUNCHER = resolve(__dirname, '..', '..', 'scripts', 'start.mjs');
const EVENTS = 240;

let installation: SingleProcess;
let load: Load;

beforeAll(async () => {
  installation = await SingleProcess.start({}, [process.execPath, LAUNCHER]);
  load = await Load.open(installation, { eventsPerSecond: 200 }, CRASH_PLAN);
});

afterAll(async () => {
  await installation.destroy();
  await load.close();
});

/** Signals every process of the group, as a terminal, a supervisor, and npm once more do, and starts it again. */
const stopAndStart = async (signal: 'SIGINT' | 'SIGTERM'): Promise<void> => {
  const { penstock } = installation.embedded;
  const endings = [penstock.end(signal), penstock.end(signal)];
  expect(await Promise.all(endings)).toEqual([0, 0]);
  expect(installation.embedded.databasePid).toBeUndefined();
  await penstock.start();
};

const expectNoneRepeated = async (): Promise<void> => {
  expect(await load.wrong()).toEqual([]);
  expect(load.fanOut.ledger.repeated).toBe(0);
};

describe.each(['SIGTERM', 'SIGINT'] as const)(
  '%s to the process group of the launcher',
  (signal) => {
    const test = (title: string, work: () => Promise<void>): void => {
      it(
        title,
        showingOutput(() => installation, work),
      );
    };

    test('stops it once, while it delivers: nothing is repeated or lost', async () => {
      const { ledger } = load.fanOut;
      const before = ledger.distinct;
      const sent = load.sender.send(EVENTS);
      await until('half of it is delivered', () => ledger.distinct >= before + EVENTS / 2);
      await stopAndStart(signal);
      await sent;
      await expectNoneRepeated();
    });

    test('stops it once, while it catches up: nothing is repeated or lost', async () => {
      const { fanOut, sender } = load;
      const before = fanOut.ledger.distinct;
      for (const { name } of CRASH_PLAN.destinations) fanOut.server(name).behaviour = failing;
      await sender.send(EVENTS);
      fanOut.calm();
      await until('some of it is delivered', () => fanOut.ledger.distinct > before);
      await stopAndStart(signal);
      await expectNoneRepeated();
    });
  },
);

it('is passed on by the launcher when nobody else has it', async () => {
  const { penstock } = installation.embedded;
  process.kill(penstock.pid!, 'SIGTERM');
  expect(await penstock.exit()).toBe(0);
  expect(installation.embedded.databasePid).toBeUndefined();
});
