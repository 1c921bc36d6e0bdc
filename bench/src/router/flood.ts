import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { Api } from '../api';
import { runLoad } from '../child';
import { API_KEY } from '../installations';
import { median } from '../percentile';
import type { Figures } from './figures';
import { LateEvents } from './late-events';
import { inRounds, ROUNDS } from './rounds';
import { eventName, pipelineOf } from './set-up';
import type { Stage } from './stage';

/** Events that the other workspace sends at full speed. */
const CAPACITY_EVENTS = 50_000;
/** Load of the other workspace, as a multiple. */
const TIMES = 100;
/** Pipelines of the other workspace with functions that never end. */
const ENDLESS = 10;
const EVENTS_PER_REQUEST = 100;
const CONNECTIONS = 16;
const WAREHOUSE = 'flooding_warehouse';
/** Index of the first destination of the other workspace, after the measured one. */
const FIRST_APPLICATION = 1;

const ENDLESS_FUNCTION = {
  function: {
    source: 'function transform() { for (;;); }',
    language: 'JavaScript',
    preserveJSON: false,
    inPaths: ['messageId'],
    outPaths: ['properties'],
  },
};

/** Time until the other workspace has spent what its functions may run in vain at once. */
const UNTIL_KNOWN_SECONDS = 45;
const POLL_MS = 50;
const PATIENCE_MS = 120_000;

/** Creates a workspace with a database for its warehouse. */
const makeWorkspace = async ({ port, databaseUrl }: Stage['installation']): Promise<string> => {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`CREATE DATABASE ${WAREHOUSE}`).finally(() => client.end());
  const url = new URL(databaseUrl);
  const settings = {
    host: url.hostname,
    port: Number(url.port),
    username: url.username,
    password: decodeURIComponent(url.password),
    database: WAREHOUSE,
    schema: 'warehouse',
  };
  const { id } = await new Api(`http://127.0.0.1:${port}`, API_KEY).post<{ id: string }>(
    '/v1/workspaces',
    { name: 'Flooding', warehouse: { platform: 'PostgreSQL', settings } },
  );
  return id;
};

/** The workspace that floods. */
interface Flooding {
  /** The write key of its source. */
  readonly key: string;
  /** Gives most of its pipelines functions that never end, in place of their mappings. */
  makeEndless(): Promise<void>;
}

const makeFlooding = async (stage: Stage): Promise<Flooding> => {
  const { installation, counter } = stage;
  const workspace = await makeWorkspace(installation);
  const api = new Api(`http://127.0.0.1:${installation.port}`, API_KEY, workspace);
  const source = await api.source('flooding');
  const made: (readonly [id: string, pipeline: object])[] = [];
  for (let index = 0; index <= ENDLESS; index += 1) {
    const { id } = await api.post<{ id: string }>('/v1/connections', {
      name: `Flooded ${index}`,
      role: 'Destination',
      connector: 'http',
      settings: { url: counter.url(FIRST_APPLICATION + index), batchSize: 100 },
    });
    await api.post(`/v1/connections/${source.id}/links/${id}`);
    const pipeline = pipelineOf(`Flooding ${index}`, id, eventName(index), 'mapping');
    made.push([(await api.post<{ id: string }>('/v1/pipelines', pipeline)).id, pipeline]);
  }
  return {
    key: source.key,
    makeEndless: async () => {
      for (const [id, pipeline] of made.slice(1))
        await api.put(`/v1/pipelines/${id}`, { ...pipeline, transformation: ENDLESS_FUNCTION });
    },
  };
};

/** What the flood sends. */
const loadOf = ({ installation: { port } }: Stage, key: string, prefix: string) => ({
  port,
  load: {
    stamped: {
      ...{ path: '/v1/batch', key, prefix },
      ...{ eventsPerRequest: EVENTS_PER_REQUEST, names: ENDLESS + 1 },
    },
  },
  connections: CONNECTIONS,
});

/** Events per second that the other workspace has delivered at full speed, all of them by mappings. */
const capacityOf = async (stage: Stage, key: string): Promise<number> => {
  await stage.counter.ask({ what: 'reset' });
  const startMs = Date.now();
  const requests = CAPACITY_EVENTS / EVENTS_PER_REQUEST;
  await runLoad({ ...loadOf(stage, key, 'full-'), seconds: PATIENCE_MS / 1_000, requests });
  for (const endMs = Date.now() + PATIENCE_MS; Date.now() < endMs; await sleep(POLL_MS))
    if ((await stage.counter.distinct()) >= CAPACITY_EVENTS)
      return (1_000 * CAPACITY_EVENTS) / (Date.now() - startMs);
  throw new Error(`${CAPACITY_EVENTS} events were not delivered within ${PATIENCE_MS / 1_000} s`);
};

const p99Of = async (stage: Stage, rate: number, seconds: number): Promise<number> => {
  const { events } = await stage.send({ rate, seconds });
  for (const endMs = Date.now() + PATIENCE_MS; Date.now() < endMs; await sleep(POLL_MS)) {
    const { applications } = await stage.counter.ask({ what: 'count' });
    const own = applications.find(({ application }) => application === 0);
    if (own !== undefined && own.distinct >= events) return own.p99Ms;
  }
  throw new Error(`${events} events were not delivered within ${PATIENCE_MS / 1_000} s`);
};

/**
 * Measures events of one workspace, alone and while another one sends a hundred times as much and runs endless functions,
 * under half of the highest load, as medians of five rounds. What the flood does before the functions are known to be endless
 * is reported separately.
 */
export const flood = async (
  stage: Stage,
  given: number | undefined,
  seconds: number,
): Promise<Figures> => {
  const flooding = await makeFlooding(stage);
  const capacity = await capacityOf(stage, flooding.key);
  const rate = given ?? capacity / 2 / (1 + TIMES);
  await flooding.makeEndless();
  const alone = await inRounds(() => p99Of(stage, rate, seconds));
  const flooded = runLoad({
    ...loadOf(stage, flooding.key, 'flood-'),
    // One round at the beginning, and one more, so that the flood lasts longer than all rounds.
    seconds: (ROUNDS + 2) * seconds + UNTIL_KNOWN_SECONDS,
    rate: (TIMES * rate) / EVENTS_PER_REQUEST,
  });
  const atFirst = await p99Of(stage, rate, seconds);
  await sleep(1_000 * UNTIL_KNOWN_SECONDS);
  const late = new LateEvents(stage, 1, 2 * median(alone));
  const beside = await late.inRounds(() => p99Of(stage, rate, seconds));
  const { failed } = await flooded;
  return {
    'events/s of the other at full speed, by mappings': Math.round(capacity),
    'events/s': Math.round(rate),
    'events/s of the other': Math.round(TIMES * rate),
    'refused of the other': failed * EVENTS_PER_REQUEST,
    'p99 ms alone': median(alone),
    'p99 ms at the beginning of the flood': atFirst,
    'p99 ms flooded': median(beside),
    ...late.figures(),
  };
};
