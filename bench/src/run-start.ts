import { Client } from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from './api';
import {
  createDatabaseSource,
  createImport,
  firstWorkspace,
  MAPPING,
  makeUsers,
} from './import-source';
import { API_KEY, type Measured, startDistributed, startEmbedded } from './installations';
import { measureRun } from './measure-run';
import { percentile } from './percentile';
import { cells, heading, option, print } from './table';

const RUNS = option('runs', 20);
const ROWS = 10;

/** Between two runs, so that each meets an idle installation. */
const IDLE_MS = 2_000;

/** Times at which runs were claimed and their first batches were settled, in the order of the runs. */
const STEPS = `
SELECT extract(epoch FROM min(f.at) FILTER (WHERE f.type = 'RunClaimed'))::float8 * 1000 AS claimed,
       extract(epoch FROM min(f.at) FILTER (WHERE f.type = 'BatchSettled'))::float8 * 1000 AS settled
  FROM penstock_runs.facts f GROUP BY f.run ORDER BY min(f.at)`;

interface Steps {
  readonly claimed: number;
  readonly settled: number;
}

const stepsOf = async (databaseUrl: string): Promise<readonly Steps[]> => {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Steps>(STEPS)).rows;
  } finally {
    await client.end();
  }
};

const measureOn = async ({ name, port, databaseUrl }: Measured): Promise<void> => {
  await makeUsers(databaseUrl, ROWS);
  const address = `http://127.0.0.1:${String(port)}`;
  const api = new Api(address, API_KEY, await firstWorkspace(address, API_KEY));
  const settings = { runOnBatchImport: false, eventDelay: null, identifiers: [] };
  await api.put('/v1/identity-resolution/settings', settings);
  const pipeline = await createImport(api, {
    ...{ name: 'Users', transformation: MAPPING, reads: ['email', 'first_name', 'last_name'] },
    ...{
      connection: await createDatabaseSource(api, databaseUrl),
      from: { query: 'SELECT * FROM crm.users' },
    },
  });
  const requestedMs: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    await sleep(IDLE_MS);
    requestedMs.push(Date.now());
    await measureRun(api, pipeline, ROWS);
  }
  const steps = await stepsOf(databaseUrl);
  for (const step of ['claimed', 'settled'] as const) {
    const ms = steps.map((times, run) => times[step] - (requestedMs[run] ?? NaN));
    // The first run finds processes that have run nothing yet.
    const [first = NaN] = ms;
    const sorted = ms.slice(1).sort((one, other) => one - other);
    print(cells(name, step, percentile(sorted, 0.5), percentile(sorted, 0.95), first));
  }
};

/** Measures the time from the request of a run until it is claimed, and until its first records are written. */
export const measureRunStart = async (): Promise<void> => {
  print(heading('installation', 'until', 'median ms', 'p95 ms', 'first ms'));
  for (const start of [() => startEmbedded({}, true), () => startDistributed(1, {}, true)]) {
    const installation = await start();
    try {
      await measureOn(installation);
    } finally {
      await installation.stop();
    }
  }
};
