import { setTimeout as sleep } from 'node:timers/promises';
import { showingOutput } from '../harness/installation';
import { eventually } from '../harness/eventually';
import { ON_KAFKA, ON_POSTGRES } from '../harness/router-forms';
import type { RouterInstallation } from '../harness/router-installation';
import { until } from '../harness/until';
import { answering, type Behaviour } from './behaviours';
import { listedDeliveries } from './listed-deliveries';
import { Load } from './load';
import { MayRepeat } from './may-repeat';
import { Redrives } from './redrives';
import { say } from './say';
import { formsOf, sized } from './sizes';

jest.setTimeout(sized(840_000, 3_600_000));

const EVENTS = sized(1_500, 100_000);
const EVENTS_PER_SECOND = sized(600, 1_500);
const KILLS = sized(2, 3);
/** Time limit for all redrives, with three processes that are killed and replaced. */
const REDRIVEN_MS = sized(240_000, 1_800_000);
const CANCELLED_MS = 10_000;

/** A server that answers slowly, and hardly at all until it may. */
const slowly =
  (usual: Behaviour, mayAnswer: () => boolean): Behaviour =>
  (events) => ({ ...usual(events), latencyMs: mayAnswer() ? 100 : 2_000 });

describe.each(formsOf(ON_KAFKA, ON_POSTGRES))('$form', ({ form, start }) => {
  let installation: RouterInstallation;
  let load: Load;
  let redrives: Redrives;

  beforeAll(async () => {
    installation = await start();
    load = await Load.open(installation, { eventsPerSecond: EVENTS_PER_SECOND });
    redrives = new Redrives(load.fanOut);
  });

  afterAll(async () => {
    await installation.destroy();
    await load.close();
  });

  const rejectedOf = async (name: string): Promise<number> => {
    const { endings } = await redrives.conservation(name);
    return endings['Rejected'] ?? 0;
  };

  it(
    'delivers exactly what was chosen, once and in order, while routers and gateways are killed',
    showingOutput(
      () => installation,
      async () => {
        const { fanOut } = load;
        for (const name of ['picky', 'failing']) fanOut.server(name).behaviour = answering(400);
        await load.sender.send(EVENTS);
        const names = ['picky-all', 'picky-look', 'failing-all', 'failing-buy'];
        const open = async (): Promise<string[]> => {
          const all = await Promise.all(names.map((name) => redrives.conservation(name)));
          return all.flatMap(({ open: count }, at) => (count > 0 ? [names[at] ?? ''] : []));
        };
        expect(await eventually(open, 60_000)).toEqual([]);
        fanOut.calm();
        const { picky, failing } = {
          picky: fanOut.server('picky'),
          failing: fanOut.server('failing'),
        };
        let areChosen = false;
        for (const server of [picky, failing])
          server.behaviour = slowly(server.behaviour, () => areChosen);

        const before = await Promise.all(names.map(rejectedOf));
        const dead = await Promise.all(
          names.map((name) => redrives.countBy(name, { code: '400' })),
        );
        const first = fanOut.ledger.distinct;
        const [ofPicky, ...others] = await Promise.all([
          redrives.create('picky-all', { code: '400' }),
          ...names.slice(1).map((name) => redrives.create(name, { code: '400' })),
        ]);
        const jobs = [ofPicky, ...others];
        for (const name of names) fanOut.redriven.add(name);
        expect(jobs.map(({ count }) => count)).toEqual(dead);
        // The answer does not wait until very many are chosen.
        const choosing = async (): Promise<string[]> => {
          const all = await Promise.all(jobs.map((job) => redrives.get(job)));
          return all.filter((job, at) => job.chosen !== dead[at]).map((job) => JSON.stringify(job));
        };
        expect(await eventually(choosing, 60_000)).toEqual([]);
        // What is chosen is not chosen again, except for what its redrive has ended as a dead letter by then.
        const again = await redrives.countBy('picky-all', {});
        expect(again).toBeLessThanOrEqual((await redrives.get(ofPicky)).rejected);
        const mayRepeat = new MayRepeat(fanOut.ledger, installation.databaseUrl);
        const chosen = dead.reduce((sum, each) => sum + each, 0);
        areChosen = true;
        for (let kill = 1; kill <= KILLS; kill += 1) {
          const atLeast = first + (kill * chosen) / (KILLS + 2);
          await until('so much is redriven', () => fanOut.ledger.distinct >= atLeast, REDRIVEN_MS);
          const victim = installation.routers[kill % installation.routers.length];
          const gateway = installation.gateways[kill % installation.gateways.length]?.process;
          if (gateway !== victim) {
            await gateway?.kill9();
            await gateway?.start();
          }
          await mayRepeat.during(async () => victim?.kill9());
          for (const [at, name] of names.entries()) {
            const { accepted, endings, open: left } = await redrives.conservation(name);
            const ended = Object.values(endings).reduce((sum, each) => sum + each, left);
            expect([name, ended]).toEqual([name, accepted]);
            expect(endings['Rejected']).toBeLessThanOrEqual(before[at] ?? 0);
          }
          await victim?.start();
        }
        const running = async (): Promise<string[]> => {
          const all = await Promise.all(jobs.map((job) => redrives.get(job)));
          return all.filter(({ state }) => state === 'Running').map((each) => JSON.stringify(each));
        };
        expect(await eventually(running, REDRIVEN_MS)).toEqual([]);

        for (const [at, job] of jobs.entries()) {
          const done = await redrives.get(job);
          expect(done).toMatchObject({ state: 'Succeeded', chosen: dead[at], left: 0, parked: 0 });
          expect(done.delivered + done.rejected).toBe(done.chosen);
        }
        expect(await load.wrong()).toEqual([]);
        const { repeated } = fanOut.ledger;
        say(form, { ...load.facts, chosen, atMost: mayRepeat.count });
        expect(repeated).toBeLessThanOrEqual(mayRepeat.count);
      },
    ),
  );

  it('ends soon when it is cancelled, and leaves the rest as it was', async () => {
    const { fanOut } = load;
    const picky = fanOut.server('picky');
    const usual = picky.behaviour;
    const query = `pipeline=${fanOut.pipelineIds.get('picky-all') ?? ''}`;
    const before = await listedDeliveries(fanOut, query);
    expect(before.length).toBeGreaterThan(30);
    picky.behaviour = () => ({ status: 200, latencyMs: 500 });
    const job = await redrives.create('picky-all');
    const first = fanOut.ledger.distinct;
    await until('some are redriven', () => fanOut.ledger.distinct > first + 5, 30_000);
    await redrives.cancel(job);
    const isCancelled = async () => (await redrives.get(job)).state === 'Cancelled';
    await until('it is cancelled', isCancelled, CANCELLED_MS);
    // Nothing changes afterwards.
    await sleep(1_000);
    const { state, chosen, delivered, left } = await redrives.get(job);
    expect([state, chosen, delivered + left]).toEqual(['Cancelled', before.length, before.length]);
    expect(left).toBeGreaterThan(0);
    const rest = await listedDeliveries(fanOut, query);
    expect(rest).toHaveLength(left);
    const known = new Map(before.map((each) => [each.id, each]));
    for (const each of rest) expect(each).toEqual(known.get(each.id));
    picky.behaviour = usual;
    expect(await redrives.countBy('picky-all', {})).toBe(left);
  });
});
