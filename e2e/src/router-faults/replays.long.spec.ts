import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { ReplayCounts, ReplayView } from '@penstock/contracts';
import { showingOutput } from '../harness/installation';
import { ON_KAFKA, ON_POSTGRES } from '../harness/router-forms';
import type { RouterInstallation } from '../harness/router-installation';
import { SeededRandom } from '../harness/seeded-random';
import { until } from '../harness/until';
import { type FanOutEvent, nameOf } from './fan-out-event';
import { Load } from './load';
import { ReplayRuns } from './replay-runs';
import { say } from './say';
import { formsOf, sized } from './sizes';

jest.setTimeout(sized(480_000, 1_200_000));

const EVENTS = sized(1_800, 100_000);
const EVENTS_PER_SECOND = sized(600, 1_500);
const KILLS = sized(1, 6);
/** Most milliseconds from the start of a router to the next kill. */
const MAX_PAUSE_MS = 700;

const random = SeededRandom.fromEnvironment();

/** A pipeline of the plan that sends every event of two sources to a destination which rejects some. */
const PIPELINE = 'picky-all';

const OUT_SCHEMA = {
  kind: 'object',
  properties: [{ name: 'properties', type: { kind: 'json' }, createRequired: true }],
};

/** Gives what the pipeline gives, but for users of an even number; throws for `Bad`. Does not match `Look`. */
const FUNCTION = `function transform(event) {
  if (event.event === 'Bad') throw new RangeError('not this one');
  const { s, u, n } = event.properties;
  return { properties: { p: u % 2 === 0 ? 'changed' : '${PIPELINE}', s, u, n } };
}`;

const draftOn = (connection: string): object => ({
  name: 'Draft',
  connection,
  target: 'Event',
  eventType: 'send_values',
  filter: {
    logical: 'and',
    conditions: [{ property: 'event', operator: 'is not', values: ['Look'] }],
  },
  transformation: {
    function: {
      source: FUNCTION,
      language: 'JavaScript',
      preserveJSON: false,
      inPaths: ['event', 'properties'],
      outPaths: ['properties'],
    },
  },
  outSchema: OUT_SCHEMA,
});

const expectedOf = (event: FanOutEvent): keyof ReplayCounts => {
  const name = nameOf(event);
  if (name === 'Look' || name === 'Bad') return 'onlyBefore';
  return event.user % 2 === 0 ? 'different' : 'same';
};

describe.each(formsOf(ON_KAFKA, ON_POSTGRES))('$form', ({ form, start }) => {
  let installation: RouterInstallation;
  let load: Load;
  let runs: ReplayRuns;

  beforeAll(async () => {
    installation = await start();
    await installation.startExecutor();
    load = await Load.open(installation, { eventsPerSecond: EVENTS_PER_SECOND });
    runs = new ReplayRuns(load.fanOut);
  });

  afterAll(async () => {
    await installation.destroy();
    await load.close();
  });

  const path = (): string => `/v1/pipelines/${load.fanOut.pipelineIds.get(PIPELINE) ?? ''}/replays`;

  const create = async (members: object = {}): Promise<string> => {
    const body = {
      ...{ from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z', mode: 'shadow' },
      ...members,
    };
    const created = await load.fanOut.change((api) => api.call('POST', path(), body));
    return (created as { readonly id: string }).id;
  };

  const get = (id: string): Promise<ReplayView> =>
    load.fanOut.change((api) => api.call('GET', `${path()}/${id}`) as Promise<ReplayView>);

  const ended = async (id: string): Promise<ReplayView> => {
    await until('the replay has ended', async () => (await get(id)).state !== 'Running', 120_000);
    return get(id);
  };

  /** How often routers have begun to work on the replay. */
  const leasesOf = async (id: string): Promise<number> => {
    const client = new Client({ connectionString: installation.databaseUrl });
    await client.connect();
    try {
      const { rows } = await client.query<{ epoch: number }>(
        'SELECT epoch::int AS epoch FROM penstock_router.replays WHERE job = $1',
        [id],
      );
      return rows[0]?.epoch ?? 0;
    } finally {
      await client.end();
    }
  };

  /** Kills all routers while one works on the replay, then each at random moments. */
  const killRouters = async (id: string): Promise<void> => {
    await until('a router works on the replay', async () => (await leasesOf(id)) > 0, 30_000);
    await Promise.all(installation.routers.map((router) => router.kill9()));
    await Promise.all(installation.routers.map((router) => router.start()));
    for (let kills = 0; kills < KILLS; kills += 1)
      for (const router of installation.routers) {
        await sleep(random.next() * MAX_PAUSE_MS);
        await router.kill9();
        await router.start();
      }
  };

  /** Accepted events of sources that are linked with the destination of the pipeline. */
  const replayedEvents = (): readonly FanOutEvent[] => {
    const { sources, pipelines } = load.fanOut.plan;
    const { destination } = pipelines.find(({ name }) => name === PIPELINE) ?? { destination: -1 };
    return load.accepted.filter(({ source }) => sources[source]?.includes(destination));
  };

  it(
    'a replay counts every event once, sends nothing, and delays nothing, while its routers are killed',
    showingOutput(
      () => installation,
      async () => {
        await load.sender.send(EVENTS);
        expect(await load.wrong()).toEqual([]);
        const { ledger } = load.fanOut;
        const sent = [ledger.distinct, ledger.repeated];
        const replaysFromMs = performance.now();
        const id = await create({ draft: draftOn(load.fanOut.destinationId('picky')) });
        // Routers that are killed may tell of it only when it has ended.
        const listed = until(
          'it is listed as a run, or has ended',
          async () =>
            (await runs.listed('Running')).includes(id) || (await get(id)).state !== 'Running',
        );
        await Promise.all([killRouters(id), listed]);
        const replay = await ended(id);
        const leases = await leasesOf(id);
        say(form, {
          ...{ seed: random.seed, ms: Math.round(performance.now() - replaysFromMs) },
          ...{ leases, summary: replay.summary },
        });
        expect(leases).toBeGreaterThan(1);
        const events = replayedEvents();
        const countOf = (name: keyof ReplayCounts): number =>
          events.filter((event) => expectedOf(event) === name).length;
        expect(replay).toMatchObject({ state: 'Succeeded', reason: '' });
        expect(replay.summary).toMatchObject({
          ...{ events: events.length, neither: 0, unknown: 0, onlyNow: 0, unreadable: 0 },
          ...{ same: countOf('same'), different: countOf('different') },
          ...{ onlyBefore: countOf('onlyBefore'), expired: 0 },
        });
        expect([ledger.distinct, ledger.repeated]).toEqual(sent);
        expect(await load.wrong()).toEqual([]);
        await until('its run has ended', async () => (await runs.get(id)).endTime !== null, 30_000);
        const { matched = NaN, rejected = NaN, duplicates = NaN } = replay.summary ?? {};
        expect(await runs.get(id)).toMatchObject({
          ...{ trigger: 'Replay', replayMode: 'shadow', status: 'Succeeded', progress: null },
          ...{ endTime: replay.endedAt, pipelineVersion: null },
          passed: [
            events.length,
            events.length,
            matched,
            matched - rejected,
            matched - rejected,
            0,
          ],
          failed: [duplicates, 0, events.length - matched, rejected, 0, 0],
        });
        expect(await runs.listed('Succeeded')).toContain(id);
        expect(await runs.history(id)).toEqual(['ReplayAccepted', 'RunSucceeded']);
      },
    ),
  );

  it('a replay that is cancelled while it runs ends soon, and another can begin', async () => {
    const id = await create({ draft: draftOn(load.fanOut.destinationId('picky')) });
    const cancelledMs = performance.now();
    await load.fanOut.change((api) => api.call('POST', `${path()}/${id}/cancel`));
    const { state, summary } = await get(id);
    expect(['Cancelled', 'Succeeded']).toContain(state);
    expect(performance.now() - cancelledMs).toBeLessThan(10_000);
    const next = await ended(await create());
    expect(next).toMatchObject({ state: 'Succeeded', version: 1 });
    const { events, same, unknown } = next.summary ?? {};
    expect([events, same, unknown]).toEqual([replayedEvents().length, replayedEvents().length, 0]);
    expect((await get(id)).summary).toEqual(summary);
  });
});
