import { setTimeout as sleep } from 'node:timers/promises';
import { Balancer } from '../harness/balancer';
import { showingOutput } from '../harness/installation';
import { loudLines } from '../harness/loud-lines';
import type { Gateway, RouterForm, RouterInstallation } from '../harness/router-installation';
import { SeededRandom } from '../harness/seeded-random';
import { SeveralRouters } from '../harness/several-routers';
import { until } from '../harness/until';
import { ApiTraffic } from './api-traffic';
import { Load } from './load';
import { PLAN, type Plan } from './plan';
import { say } from './say';
import { IS_LONG, sized } from './sizes';
import { Troubles } from './troubles';

jest.setTimeout(sized(480_000, 1_800_000));

/** Both gateways are restarted in each. */
const ROUNDS = sized(1, 10);
const EVENTS_PER_SECOND = 150;
/** Longer than the balancer needs to notice on a loaded machine. */
const DRAIN_SECONDS = 3;

/** A log that has just started may be slow to acknowledge on a loaded machine: what fails before is not counted. */
const WARM_UP_MS = 10_000;

const random = SeededRandom.fromEnvironment();

/** Without destinations that hang: on a loaded machine their time limit would also end attempts that have succeeded. */
const CALM_PLAN: Plan = {
  ...PLAN,
  destinations: PLAN.destinations.map(({ timeoutS, troubles, ...destination }) => ({
    ...destination,
    troubles: timeoutS === undefined ? troubles : [],
  })),
};

const formWith = (form: string, brokers: 0 | 1): RouterForm => ({
  form,
  start: () =>
    SeveralRouters.start({
      brokers,
      pipelineServices: 2,
      env: { PENSTOCK_DRAIN_SECONDS: String(DRAIN_SECONDS) },
    }),
});
const KAFKA = formWith('two of each service on Kafka', 1);
const POSTGRES = formWith('two of each service on PostgreSQL', 0);

describe.each(IS_LONG ? [KAFKA, POSTGRES] : [KAFKA])('$form', ({ form, start }) => {
  let installation: RouterInstallation;
  let load: Load;
  let balancer: Balancer;

  beforeAll(async () => {
    installation = await start();
    const options = { eventsPerSecond: EVENTS_PER_SECOND, haveOwnConnections: true };
    load = await Load.open(installation, options, CALM_PLAN);
    balancer = new Balancer(installation.gateways.map(({ address }) => address));
  });

  afterAll(async () => {
    await balancer.close();
    await load.close();
    await installation.destroy();
  });

  /** @returns how it has ended: its exit code, and all warnings since the signal. */
  const restart = async ({ address, process }: Gateway): Promise<object> => {
    const from = process.output.length;
    const ending = { code: await process.stop(), loud: loudLines(process, from) };
    await process.start();
    await until('the balancer uses the gateway again', () => balancer.isUsing(address));
    return ending;
  };

  it(
    'fails no request while each gateway is restarted in turn',
    showingOutput(
      () => installation,
      async () => {
        const { fanOut, sender } = load;
        const troubles = new Troubles(fanOut, random);
        const sending = sender.sendUntilStopped();
        const traffic = new ApiTraffic(fanOut, balancer);
        await sleep(WARM_UP_MS);
        sender.refused.clear();
        traffic.failures.length = 0;
        const endings: object[] = [];
        for (let round = 0; round < ROUNDS; round += 1)
          for (const gateway of installation.gateways) endings.push(await restart(gateway));
        await traffic.stop();
        sender.stop();
        await sending;
        await troubles.stop();
        const leftOver = await traffic.leftOver();
        const wrong = await load.wrong();
        const { reads, changes, failures, cutOff } = traffic;
        const cutOffs = { api: cutOff, intake: sender.cutOff };
        const restarts = endings.length;
        say(form, { seed: random.seed, restarts, reads, changes, cutOffs, ...load.facts });
        expect(failures).toEqual([]);
        expect(load.facts['refused']).toEqual({});
        expect(cutOffs).toEqual({ api: 0, intake: 0 });
        expect(leftOver).toEqual([]);
        expect(wrong).toEqual([]);
        expect(load.fanOut.ledger.repeated).toBe(0);
        expect(endings).toEqual(endings.map(() => ({ code: 0, loud: [] })));
      },
    ),
  );
});
