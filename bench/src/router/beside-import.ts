import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { Api } from '../api';
import {
  changedRowsOf,
  createDatabaseSource,
  createImport,
  firstWorkspace,
  makeUsers,
  MAPPING,
  OUT,
} from '../import-source';
import { API_KEY } from '../installations';
import { median } from '../percentile';
import type { Figures } from './figures';
import { inRounds, ROUNDS } from './rounds';
import type { Stage } from './stage';

const ROWS_PER_SECOND = 5_000;
const POLL_MS = 100;
const PATIENCE_MS = 60_000;

/** The table, whose rows come one after the other at a steady rate from the start of the statement on. */
const HOLD = `
CREATE FUNCTION crm.due(n int) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_sleep(n / ${String(ROWS_PER_SECOND)}.0 - extract(epoch FROM clock_timestamp() - statement_timestamp()))
   WHERE n % 100 = 0;
  RETURN true;
END $$;
CREATE VIEW crm.held AS SELECT * FROM crm.users WHERE crm.due(id)`;

interface Run {
  readonly progress: { readonly passed: readonly number[] } | null;
}

/** Imports at a steady rate until it is ended. */
interface HeldImport {
  /** Records that have passed. @throws Error when the run has ended. */
  passed(): Promise<number>;
  cancel(): Promise<void>;
}

const beginImport = async (
  { port, databaseUrl }: Stage['installation'],
  rows: number,
): Promise<HeldImport> => {
  await makeUsers(databaseUrl, rows);
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(HOLD).finally(() => client.end());
  const address = `http://127.0.0.1:${port}`;
  const api = new Api(address, API_KEY, await firstWorkspace(address, API_KEY));
  const id = await createImport(api, {
    ...{ name: 'Held', connection: await createDatabaseSource(api, databaseUrl) },
    ...{ from: changedRowsOf('held'), transformation: MAPPING, reads: OUT },
  });
  const { id: run } = await api.post<{ id: string }>(`/v1/pipelines/${id}/runs`);
  const passed = async (): Promise<number> => {
    const { progress } = await api.get<Run>(`/v1/pipelines/runs/${run}`);
    if (progress === null) throw new Error('the import has ended');
    return progress.passed.at(-1) ?? 0;
  };
  const endMs = Date.now() + PATIENCE_MS;
  while ((await passed()) === 0) {
    if (Date.now() > endMs) throw new Error('the import does not begin');
    await sleep(POLL_MS);
  }
  return {
    passed,
    cancel: () => api.post(`/v1/pipelines/runs/${run}/cancel`),
  };
};

/**
 * Measures events at a steady rate, alone and while an import reads 5,000 rows a second into the warehouse, as medians of
 * five rounds.
 */
export const besideImport = async (
  stage: Stage,
  rate: number,
  seconds: number,
): Promise<Figures> => {
  let missing = 0;
  const p99Ms = async (): Promise<number> => {
    missing += await stage.untilDelivered(await stage.send({ rate, seconds }));
    return (await stage.counter.ask({ what: 'count', first: 1 })).p99Ms;
  };
  const alone = await inRounds(p99Ms);
  // Twice as many rows as the rounds should take.
  const held = await beginImport(stage.installation, 2 * ROUNDS * seconds * ROWS_PER_SECOND);
  const [before, startMs] = [await held.passed(), performance.now()];
  const beside = await inRounds(p99Ms);
  const rows = ((await held.passed()) - before) / ((performance.now() - startMs) / 1_000);
  await held.cancel();
  return {
    'events/s': rate,
    missing,
    'rows/s of the import': Math.round(rows),
    'p99 ms alone': median(alone),
    'p99 ms beside the import': median(beside),
  };
};
