import { Pool } from 'pg';
import { eventually } from '../harness/eventually';
import { showingOutput } from '../harness/installation';
import { ON_KAFKA, ON_POSTGRES } from '../harness/router-forms';
import type { RouterInstallation } from '../harness/router-installation';
import { answering, healthy } from './behaviours';
import { Load } from './load';
import type { Plan } from './plan';
import { formsOf } from './sizes';

jest.setTimeout(300_000);

const EVENTS_PER_SECOND = 200;

/** Two sources and three destinations with a pipeline each, and a pipeline that rejects all of its events. */
const PLAN_OF_HEALTH: Plan = {
  sources: [
    [0, 1, 2],
    [0, 1, 2],
  ],
  destinations: [
    { name: 'healthy', batchSize: 100, usual: healthy(), troubles: [] },
    { name: 'failing', batchSize: 20, usual: healthy(), troubles: [] },
    { name: 'denied', batchSize: 50, usual: healthy(), troubles: [] },
  ],
  pipelines: [
    { name: 'healthy-all', destination: 0, transformation: 'mapping' },
    { name: 'healthy-bad', destination: 0, transformation: 'function', only: ['Bad'] },
    { name: 'failing-buy', destination: 1, transformation: 'mapping', only: ['Buy', 'Look'] },
    { name: 'denied-all', destination: 2, transformation: 'mapping' },
  ],
};

const DESTINATIONS = ['healthy', 'failing', 'denied'];
const PIPELINES = PLAN_OF_HEALTH.pipelines.map(({ name }) => name);

interface Answered {
  readonly health: {
    readonly status: string;
    readonly since: string | null;
    readonly message: string;
    readonly action: string;
  };
}

interface Fact {
  readonly object?: string;
  readonly after: { readonly id: string; readonly status: string };
}

describe.each(formsOf(ON_POSTGRES, ON_KAFKA))('$form', ({ start }) => {
  let installation: RouterInstallation;
  let load: Load;

  beforeAll(async () => {
    installation = await start();
    load = await Load.open(installation, { eventsPerSecond: EVENTS_PER_SECOND }, PLAN_OF_HEALTH);
  });

  afterAll(async () => {
    await installation.destroy();
    await load.close();
  });

  const get = <T>(path: string): Promise<T> =>
    load.fanOut.change((api) => api.call('GET', path) as Promise<T>);

  const healthOf = async (name: string): Promise<Answered['health']> => {
    const { fanOut } = load;
    const pipeline = fanOut.pipelineIds.get(name);
    const path =
      pipeline === undefined
        ? `/v1/connections/${fanOut.destinationId(name)}`
        : `/v1/pipelines/${pipeline}`;
    return (await get<Answered>(path)).health;
  };

  /** Waits until these have these statuses, and all others are healthy. @returns the differences. */
  const statuses = (wanted: Readonly<Record<string, string>>): Promise<readonly string[]> =>
    eventually(async () => {
      const found: string[] = [];
      for (const name of [...DESTINATIONS, ...PIPELINES]) {
        const { status } = await healthOf(name);
        const expected = wanted[name] ?? 'Healthy';
        if (status !== expected) found.push(`${name} is ${status}, not ${expected}`);
      }
      return found;
    }, 120_000);

  /** Kills the router that reports: the oldest one. */
  const killReporter = async (): Promise<() => Promise<void>> => {
    const pool = new Pool({ connectionString: installation.databaseUrl, max: 1 });
    try {
      const { rows } = await pool.query<{ pid: number }>(
        `SELECT (process ->> 'pid')::int AS pid FROM penstock_router.members ORDER BY since, id LIMIT 1`,
      );
      const reporter = installation.routers.find(({ pid }) => pid === rows[0]?.pid);
      if (reporter === undefined) throw new Error('no running router is the oldest');
      await reporter.kill9();
      return () => reporter.start();
    } finally {
      await pool.end();
    }
  };

  /** Recorded statuses of an object, oldest first. */
  const recorded = async (id: string): Promise<string[]> => {
    const path = `/v1/audit?type=HealthChanged&object=${id}`;
    const { facts } = await get<{ facts: readonly Fact[] }>(path);
    return facts.map(({ after }) => after.status).reverse();
  };

  it(
    'health of connections and pipelines follows their destinations, each change is one fact, also when the reporting router is killed',
    showingOutput(
      () => installation,
      async () => {
        const { fanOut, sender } = load;
        const begin = new Date().toISOString();
        const sending = sender.sendUntilStopped();
        fanOut.server('failing').behaviour = answering(503);
        fanOut.server('denied').behaviour = answering(401);
        const troubled = {
          failing: 'Failing',
          'failing-buy': 'Failing',
          denied: 'Paused',
          'denied-all': 'Paused',
          'healthy-bad': 'Degraded',
        };
        expect(await statuses(troubled)).toEqual([]);
        const { since, message, action } = await healthOf('denied');
        expect(String(since) > begin).toBe(true);
        expect(message).toContain('401 or 403');
        expect(action).toContain('credentials');

        const restart = await killReporter();
        fanOut.calm();
        await fanOut.update('denied');
        expect(await statuses({ 'healthy-bad': 'Degraded' })).toEqual([]);
        await restart();

        sender.stop();
        await sending;
        expect(await load.wrong()).toEqual([]);
        expect(await statuses({ 'healthy-bad': 'Degraded' })).toEqual([]);
        expect({
          healthy: await recorded(fanOut.destinationId('healthy')),
          failing: await recorded(fanOut.destinationId('failing')),
          denied: await recorded(fanOut.destinationId('denied')),
          bad: await recorded(fanOut.pipelineIds.get('healthy-bad') ?? ''),
        }).toEqual({
          healthy: [],
          failing: ['Failing', 'Healthy'],
          denied: ['Paused', 'Healthy'],
          bad: ['Degraded'],
        });
      },
    ),
  );
});
