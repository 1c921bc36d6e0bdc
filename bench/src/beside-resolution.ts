import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { Api } from './api';
import { API_KEY, startDistributed } from './installations';
import { median, percentile } from './percentile';
import { peakMiB } from './process-usage';
import { inRounds } from './router/rounds';
import { cells, heading, option, print } from './table';
import { timed } from './timed';

/** Identities that are resolved unless `--rows` is given. */
const ROWS = 100_000;
/** Profiles of the workspace that is measured. */
const PROFILES = 10_000;
/** Of each kind in a round: p99 of a hundred would be the slowest one. */
const REQUESTS = 300;
const LIMIT_MS = 300_000;
const WAREHOUSE = 'another_warehouse';

/** Two identities a person. */
const IDENTITIES = `
WITH added AS (
  INSERT INTO warehouse._identities (_connection, _pipeline, _record_id, _anonymous, _property_times, email, first_name, last_name)
  SELECT 'connection000001', 'pipeline00000001', 'user-' || n, false, '{"*": "2026-01-01T00:00:00.000000Z"}',
         'user' || n / 2 || '@example.com', 'First ' || n % 997, 'Last ' || n
    FROM generate_series(0, $1::bigint - 1) n
  RETURNING _id)
INSERT INTO warehouse._dirty (identity, change) SELECT _id, 'added' FROM added`;

const STORED = `
INSERT INTO warehouse._profiles (_profile_id, _identities, email, first_name)
SELECT gen_random_uuid(), 1, 'user' || n || '@example.com', 'Name ' || n
  FROM generate_series(0, $1::bigint - 1) n
RETURNING _profile_id AS id`;

interface Latest {
  readonly endTime: string | null;
  readonly error: string;
}

const within = async <Row>(
  databaseUrl: string,
  name: string | undefined,
  statements: readonly (readonly [string, readonly unknown[]])[],
): Promise<readonly Row[]> => {
  const url = new URL(databaseUrl);
  if (name !== undefined) url.pathname = `/${name}`;
  const client = new Client({ connectionString: url.href });
  await client.connect();
  try {
    let rows: readonly Row[] = [];
    for (const [text, values] of statements)
      rows = (await client.query(text, [...values])).rows as Row[];
    return rows;
  } finally {
    await client.end();
  }
};

/** Another workspace with a warehouse of its own on the same server. */
const makeAnother = async (address: string, databaseUrl: string): Promise<Api> => {
  await within(databaseUrl, undefined, [[`CREATE DATABASE ${WAREHOUSE}`, []]]);
  const { hostname, port, username, password } = new URL(databaseUrl);
  const settings = {
    ...{ host: hostname, port: Number(port), username, password: decodeURIComponent(password) },
    ...{ database: WAREHOUSE, schema: 'warehouse' },
  };
  const { id } = await new Api(address, API_KEY).post<{ id: string }>('/v1/workspaces', {
    name: 'Another',
    warehouse: { platform: 'PostgreSQL', settings },
  });
  return new Api(address, API_KEY, id);
};

type Request = (nth: number) => Promise<unknown>;

const requestsOf = async (api: Api, databaseUrl: string): Promise<Record<string, Request>> => {
  const ids = await within<{ id: string }>(databaseUrl, WAREHOUSE, [[STORED, [PROFILES]]]);
  const { pipeline } = await api.route('Measured', 'http://127.0.0.1:9/', 1);
  return {
    'list of profiles': () => api.get('/v1/profiles?limit=100'),
    'attributes of a profile': (nth) =>
      api.get(`/v1/profiles/${String(ids[(nth * 7_919) % PROFILES]?.id)}/attributes`),
    pipelines: () => api.get('/v1/pipelines'),
    'status of a pipeline': (nth) =>
      api.put(`/v1/pipelines/${pipeline}/status`, { enabled: nth % 2 === 0 }),
  };
};

/** @returns p99 of each kind in milliseconds */
const round = async (requests: Readonly<Record<string, Request>>): Promise<readonly number[]> => {
  const times: number[] = [];
  for (const request of Object.values(requests)) {
    times.push(percentile(await timed(REQUESTS, request), 0.99));
  }
  return times;
};

const latest = (api: Api): Promise<Latest> => api.get('/v1/identity-resolution/latest');

const ended = async (api: Api, signal: AbortSignal): Promise<void> => {
  for (const endMs = performance.now() + LIMIT_MS; !signal.aborted; await sleep(200)) {
    const { endTime, error } = await latest(api);
    if (error !== '') throw new Error(error);
    if (endTime !== null) return;
    if (performance.now() > endMs) throw new Error('the resolution does not end');
  }
};

/** One after the other until the measurement ends. @returns a function that ends it, and gives how many were begun. */
const resolving = (api: Api): (() => Promise<number>) => {
  const ending = new AbortController();
  const work = async (): Promise<number> => {
    for (let count = 0; ; count += 1) {
      if (ending.signal.aborted) return count;
      await api.post('/v1/identity-resolution/start', { full: true });
      await ended(api, ending.signal);
    }
  };
  const working = work();
  // Whoever ends it is told.
  working.catch(() => undefined);
  return async () => {
    ending.abort();
    const count = await working;
    await api.post('/v1/identity-resolution/cancel');
    return count;
  };
};

/** Measures requests of one workspace, alone and while the identities of another one are resolved, as medians of five rounds. */
export const measureBesideResolution = async (): Promise<void> => {
  const installation = await startDistributed(1, {}, true);
  try {
    const { databaseUrl, port } = installation;
    const address = `http://127.0.0.1:${String(port)}`;
    const requests = await requestsOf(await makeAnother(address, databaseUrl), databaseUrl);
    const { workspaces } = await new Api(address, API_KEY).get<{
      readonly workspaces: readonly { readonly id: string; readonly name: string }[];
    }>('/v1/workspaces');
    const api = new Api(address, API_KEY, workspaces.find(({ name }) => name !== 'Another')?.id);
    await within(databaseUrl, undefined, [
      [IDENTITIES, [option('rows', ROWS)]],
      ['ANALYZE warehouse._identities', []],
    ]);
    const settings = { runOnBatchImport: true, eventDelay: null, identifiers: ['email'] };
    await api.put('/v1/identity-resolution/settings', settings);
    // Other settings have begun one.
    await ended(api, new AbortController().signal);
    await round(requests);
    const alone = await inRounds(() => round(requests));
    const end = resolving(api);
    const beside = await inRounds(() => round(requests));
    const count = await end();
    print(heading('p99 ms, median of five', 'alone', 'beside', 'ratio'));
    Object.keys(requests).forEach((kind, index) => {
      const [before, after] = [alone, beside].map((rounds) =>
        median(rounds.map((each) => each[index] ?? NaN)),
      );
      print(
        cells(kind, before ?? NaN, after ?? NaN, ((after ?? NaN) / (before ?? NaN)).toFixed(2)),
      );
    });
    print(cells('resolutions begun meanwhile', count, '', ''));
    const [made] = await within<{ n: number }>(databaseUrl, undefined, [
      ['SELECT count(*)::int AS n FROM warehouse._profiles', []],
    ]);
    print(cells('profiles that they have made', made?.n ?? NaN, '', ''));
    const executor = installation.processes.get('run-executor') ?? 0;
    print(cells('MiB at most, run-executor', peakMiB(executor), '', ''));
  } finally {
    await installation.stop();
  }
};
