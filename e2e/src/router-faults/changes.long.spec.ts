import { eventually } from '../harness/eventually';
import { showingOutput } from '../harness/installation';
import { pipelineCounts } from '../harness/pipeline-counts';
import { EMBEDDED, ON_KAFKA } from '../harness/router-forms';
import type { RouterInstallation } from '../harness/router-installation';
import { until } from '../harness/until';
import { answering, healthy } from './behaviours';
import { unconserved } from './conservation';
import type { FanOut } from './fan-out';
import { Load } from './load';
import type { Plan } from './plan';
import { IS_LONG } from './sizes';

jest.setTimeout(480_000);

const EVENTS = 60;

/** One destination for each change, and one that is not changed. */
const DESTINATIONS = ['unlinked', 'disabled', 'pipeline-deleted', 'deleted', 'linked', 'unchanged'];

const PLAN: Plan = {
  sources: [[0, 1, 2, 3, 5]],
  destinations: DESTINATIONS.map((name) => ({
    name,
    batchSize: 10,
    usual: healthy(),
    troubles: [],
  })),
  pipelines: DESTINATIONS.map((name, destination) => ({
    name,
    destination,
    transformation: 'mapping',
  })),
};

const numbersOf = (fanOut: FanOut, pipeline: string): Map<string, number[]> =>
  new Map([...fanOut.ledger.ofPipeline(pipeline)].map(([key, { order }]) => [key, order]));

/** Numbers of a user's events, in order. */
const between = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

describe.each(IS_LONG ? [EMBEDDED, ON_KAFKA] : [ON_KAFKA])('$form', ({ form, start }) => {
  let installation: RouterInstallation;
  let load: Load;

  beforeAll(async () => {
    installation = await start();
  });

  afterAll(() => installation.destroy());

  beforeEach(async () => {
    load = await Load.open(installation, { eventsPerSecond: 600 }, PLAN);
  });

  afterEach(() => load.close());

  const path = (destination: string): string => {
    const { fanOut } = load;
    return `/v1/connections/${fanOut.sources[0]?.id ?? ''}/links/${fanOut.destinationId(destination)}`;
  };

  const changeAll = async (): Promise<void> => {
    const { api, pipelineIds } = load.fanOut;
    const pipeline = (name: string): string => `/v1/pipelines/${pipelineIds.get(name) ?? ''}`;
    await api.call('DELETE', path('unlinked'));
    await api.call('PUT', `${pipeline('disabled')}/status`, { enabled: false });
    await api.call('DELETE', pipeline('pipeline-deleted'));
    await api.call('DELETE', `/v1/connections/${load.fanOut.destinationId('deleted')}`);
    await api.call('POST', path('linked'));
  };

  /** Number of events that each user has sent. */
  const sent = (): number => load.accepted.length / 20;

  const away = (behaviour = answering(503)): void => {
    for (const server of load.fanOut.servers) server.behaviour = behaviour;
  };

  const expectDelivered = async (pipeline: string, numbers: readonly number[]): Promise<void> => {
    const { fanOut } = load;
    const delivered = (): number =>
      [...numbersOf(fanOut, pipeline).values()].reduce((sum, { length }) => sum + length, 0);
    await until(`${pipeline} has got all`, () => delivered() >= 20 * numbers.length);
    for (const [key, found] of numbersOf(fanOut, pipeline))
      expect({ pipeline, key, found }).toEqual({ pipeline, key, found: numbers });
  };

  /** The pipelines whose counts do not fit their change. */
  const wrongCounts = async (first: number, all: number): Promise<string[]> => {
    const [before, after] = [20 * first, 20 * (all - first)];
    const expected: Readonly<Record<string, string>> = {
      unchanged: `Delivered ${String(before + after)}`,
      unlinked: `Delivered ${String(before)}`,
      disabled: `Delivered ${String(before)}, Filtered Disabled ${String(after)}`,
      linked: `Delivered ${String(after)}`,
      'pipeline-deleted': `Parked Deleted ${String(before)}`,
      deleted: `Parked Deleted ${String(before)}`,
    };
    const counts = await pipelineCounts(installation.databaseUrl);
    return DESTINATIONS.flatMap((name) => {
      const own = counts
        .filter(
          ({ pipeline, count }) => pipeline === load.fanOut.pipelineIds.get(name) && count > 0,
        )
        .map(({ state, code, count }) => `${`${state} ${code}`.trim()} ${String(count)}`);
      const found = own.sort().join(', ');
      return found === expected[name] ? [] : [`${name}: ${found}, not ${expected[name] ?? ''}`];
    });
  };

  /** Checks deliveries and counts. @param first number of events of each user accepted before the changes. */
  const expectAll = async (first: number): Promise<void> => {
    const all = sent();
    await expectDelivered('unchanged', between(0, all));
    await expectDelivered('unlinked', between(0, first));
    await expectDelivered('disabled', between(0, first));
    await expectDelivered('linked', between(first, all));
    // Events accepted before a pipeline or its destination was deleted are parked, not sent.
    expect(numbersOf(load.fanOut, 'pipeline-deleted')).toEqual(new Map());
    expect(numbersOf(load.fanOut, 'deleted')).toEqual(new Map());
    expect(load.fanOut.ledger.repeated).toBe(0);
    expect(await eventually(() => wrongCounts(first, all), 15_000)).toEqual([]);
    const remaining = DESTINATIONS.filter((name) => !name.endsWith('deleted'));
    expect(await unconserved(load.fanOut, remaining)).toEqual([]);
  };

  const test = (title: string, work: () => Promise<void>): void => {
    it(
      title,
      showingOutput(() => installation, work),
    );
  };

  const restart = async (): Promise<void> => {
    for (const router of installation.routers) await router.stop();
    for (const router of installation.routers) await router.start();
  };

  test('events are routed by the configuration at their acceptance, though their destinations fail', async () => {
    away();
    await load.sender.send(EVENTS);
    const first = sent();
    await changeAll();
    await load.sender.send(EVENTS);
    await restart();
    away(healthy());
    await expectAll(first);
  });

  if (form === EMBEDDED.form) return;

  test('events are routed by the configuration at their acceptance, though no router runs', async () => {
    for (const router of installation.routers) await router.stop();
    await load.sender.send(EVENTS);
    const first = sent();
    await changeAll();
    await load.sender.send(EVENTS);
    for (const router of installation.routers) await router.start();
    await expectAll(first);
  });
});
