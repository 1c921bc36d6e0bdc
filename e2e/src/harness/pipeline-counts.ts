import { Client } from 'pg';

/** Number of events by ending (or `Open`) and code; an empty code where the state needs none. */
export interface PipelineCount {
  readonly pipeline: string;
  readonly state: string;
  readonly code: string;
  readonly count: number;
}

const OF_THE_VIEW = `SELECT pipeline, state, code, count::int AS count FROM penstock_router.pipeline_counts`;

/** Counts of routers that do not have the view yet. Deliveries that wait in memory are in no table. */
const OF_THE_COUNTERS = `
  SELECT pipeline, state, code, sum(count)::int AS count FROM penstock_router.counters GROUP BY 1, 2, 3
  UNION ALL
  SELECT pipeline, 'Open', '', count(*)::int FROM penstock_router.deliveries WHERE state = 'Waiting' GROUP BY 1`;

/** The committed counts of all pipelines. @throws Error while the database is unavailable. */
export const pipelineCounts = async (databaseUrl: string): Promise<readonly PipelineCount[]> => {
  const client = new Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows: found } = await client.query<{ view: string | null }>(
      `SELECT to_regclass('penstock_router.pipeline_counts')::text AS view`,
    );
    const query = found[0]?.view == null ? OF_THE_COUNTERS : OF_THE_VIEW;
    return (await client.query<PipelineCount>(query)).rows;
  } finally {
    await client.end();
  }
};
