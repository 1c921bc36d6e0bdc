import { setTimeout as sleep } from 'node:timers/promises';
import { REPLAY_DELIVERY_COUNTS, type ReplayView } from '@penstock/contracts';
import { eventually } from '../harness/eventually';
import { showingOutput } from '../harness/installation';
import { ON_KAFKA, ON_POSTGRES } from '../harness/router-forms';
import type { RouterInstallation } from '../harness/router-installation';
import { until } from '../harness/until';
import { answering, type Behaviour } from './behaviours';
import { DeliveredReplays } from './delivered-replays';
import { type FanOutEvent, idOf } from './fan-out-event';
import { findings } from './findings';
import { Ledger } from './ledger';
import { Load } from './load';
import { plannedEnding } from './plan';
import { ReplayRuns } from './replay-runs';
import { say } from './say';
import { IS_LONG, sized } from './sizes';

jest.setTimeout(sized(480_000, 3_600_000));

const EVENTS = sized(1_200, 100_000);
/** Accepted while the replays run. */
const LIVE_EVENTS = sized(600, 20_000);
const EVENTS_PER_SECOND = sized(600, 1_500);
const KILLS = sized(2, 3);
/** Time limit for all replays, with processes that are killed and replaced. */
const REPLAYED_MS = sized(180_000, 2_400_000);
const CANCELLED_MS = 10_000;
/** For what is sent after a cancel, which is nothing. */
const SILENT_MS = 2_000;
/** Time within which requests that a killed process has sent arrive. */
const ON_THE_WIRE_MS = 100;

/** Replayed pipelines: of destinations that reject, fail at times, and are healthy; with filters, mappings and functions. */
const NAMES = ['healthy-all', 'picky-all', 'picky-look', 'failing-all', 'failing-buy'];

/** Fails every fifth request. */
const flaky = (usual: Behaviour): Behaviour => {
  let requests = 0;
  return (events) => ((requests += 1) % 5 === 0 ? answering(503)(events) : usual(events));
};

const isConserved = ({ deliveries }: ReplayView): boolean =>
  REPLAY_DELIVERY_COUNTS.reduce((sum, name) => sum + (deliveries?.[name] ?? NaN), 0) ===
  2 * (deliveries?.events ?? NaN);

describe.each(IS_LONG ? [ON_POSTGRES, ON_KAFKA] : [ON_POSTGRES])('$form', ({ form, start }) => {
  let installation: RouterInstallation;
  let load: Load;
  let replays: DeliveredReplays;
  let runs: ReplayRuns;

  beforeAll(async () => {
    installation = await start();
    await installation.startExecutor();
    load = await Load.open(installation, { eventsPerSecond: EVENTS_PER_SECOND });
    replays = new DeliveredReplays(load.fanOut);
    runs = new ReplayRuns(load.fanOut);
  });

  afterAll(async () => {
    await installation.destroy();
    await load.close();
  });

  /** Records what is received of these events in a ledger of its own. */
  const recording = (events: readonly FanOutEvent[]): Ledger => {
    const again = new Ledger();
    const ids = new Set(events.map(idOf));
    const { ledger, servers } = load.fanOut;
    for (const server of servers)
      server.ledgerOf = (event) => (ids.has(idOf(event)) ? again : ledger);
    return again;
  };

  it(
    'delivers every event of the window once more, in order, beside live ones, while routers and gateways are killed',
    showingOutput(
      () => installation,
      async () => {
        const { fanOut } = load;
        await load.sender.send(EVENTS);
        expect(await load.wrong()).toEqual([]);
        const events = [...load.accepted];
        const again = recording(events);
        const failing = fanOut.server('failing');
        failing.behaviour = flaky(failing.behaviour);
        const created = await Promise.all(NAMES.map((name) => replays.create(name)));
        const live = load.sender.send(LIVE_EVENTS);
        const plan = {
          ...fanOut.plan,
          pipelines: fanOut.plan.pipelines.filter(({ name }) => NAMES.includes(name)),
        };
        const planned = plan.pipelines.flatMap((pipeline) =>
          events.filter((event) => plannedEnding(plan, pipeline, event) === 'Delivered'),
        ).length;
        let mayRepeat = 0;
        for (let kill = 1; kill <= KILLS; kill += 1) {
          const atLeast = (kill * planned) / (KILLS + 2);
          await until('so much is replayed', () => again.distinct >= atLeast, REPLAYED_MS);
          const victim = installation.routers[kill % installation.routers.length];
          const gateway = installation.gateways[kill % installation.gateways.length]?.process;
          const committed = await replays.committed();
          await victim?.kill9();
          await sleep(ON_THE_WIRE_MS);
          mayRepeat += Math.max(0, again.distinct - committed);
          for (const replay of created) expect(isConserved(await replays.get(replay))).toBe(true);
          if (gateway !== victim) {
            await gateway?.kill9();
            await gateway?.start();
          }
          await victim?.start();
        }
        const running = async (): Promise<string[]> => {
          const all = await Promise.all(created.map((replay) => replays.get(replay)));
          return all.filter(({ endedAt }) => endedAt === null).map((each) => JSON.stringify(each));
        };
        expect(await eventually(running, REPLAYED_MS)).toEqual([]);
        await live;

        for (const replay of created) {
          const pipeline = plan.pipelines.find(({ name }) => name === replay.name)!;
          const endings = events.flatMap((event) => plannedEnding(plan, pipeline, event) ?? []);
          const count = (state: string): number =>
            endings.filter((ending) => ending.startsWith(state)).length;
          const { state, deliveries } = await replays.get(replay);
          expect([replay.name, state, deliveries]).toEqual([
            replay.name,
            'Succeeded',
            {
              ...{ events: endings.length, delivered: count('Delivered') },
              ...{ rejected: count('Rejected'), filtered: count('Filtered'), parked: 0 },
              ...{ suppressed: 0, duplicates: 0, unreadable: 0, expired: 0, open: 0, left: 0 },
            },
          ]);
          if (!IS_LONG) expect(await replays.failures(replay)).toHaveLength(count('Rejected'));
        }
        expect(findings({ plan, ledger: again, events })).toEqual([]);
        say(form, { events: events.length, planned, repeated: again.repeated, atMost: mayRepeat });
        expect(again.repeated).toBeLessThanOrEqual(mayRepeat);
        expect(await load.wrong()).toEqual([]);
        fanOut.calm();
      },
    ),
  );

  it('is shown as a run, ends soon when that is cancelled, and sends nothing afterwards', async () => {
    const again = recording(load.accepted);
    load.fanOut.server('picky').behaviour = () => ({ status: 200, latencyMs: 50 });
    const replay = await replays.create('picky-all');
    await until('some are replayed', () => again.distinct > 20, 30_000);
    const id = replay.path.split('/').at(-1) ?? '';
    await until('its run shows what was sent', async () => {
      const { progress, status } = await runs.get(id);
      return status === 'Running' && (progress?.passed[5] ?? 0) > 0;
    });
    await runs.cancel(id);
    const isCancelled = async () => (await replays.get(replay)).state === 'Cancelled';
    await until('it is cancelled', isCancelled, CANCELLED_MS);
    const cancelled = await replays.get(replay);
    const { distinct } = again;
    expect(cancelled).toMatchObject({ state: 'Cancelled', deliveries: { delivered: distinct } });
    expect(isConserved(cancelled)).toBe(true);
    await until('its run is cancelled', async () => (await runs.get(id)).endTime !== null);
    const run = await runs.get(id);
    expect(run).toMatchObject({ status: 'Cancelled', error: 'run was cancelled', progress: null });
    expect(run.passed[5]).toBe(distinct);
    const rejected = cancelled.deliveries?.rejected ?? NaN;
    expect(run.failed[3]! + run.failed[4]! + run.failed[5]!).toBe(rejected);
    const reasons = (await runs.errors(id)).filter(({ step }) => step !== 'Receive');
    expect(reasons.reduce((sum, { count }) => sum + count, 0)).toBe(rejected);
    expect(await runs.history(id)).toEqual([
      ...['ReplayAccepted', 'RunCancelRequested', 'RunCancelled'],
    ]);
    await sleep(SILENT_MS);
    expect(again.distinct).toBe(distinct);
    expect(again.repeated).toBe(0);
  });
});
