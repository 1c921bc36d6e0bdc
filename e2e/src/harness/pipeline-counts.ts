import { Client } from 'pg';

/** How many events ended (or wait: `Open`) in a state, with what code; an empty code where the state says it all. */
export interface PipelineCount {
  readonly pipeline: string;
  readonly state: string;
  readonly code: string;
  readonly count: number;
}

const OF_THE_VIEW = `SELECT pipeline, state, code, count::int AS count FROM penstock_router.pipeline_counts`;

/** What routers counted before they had the view. What waits in memory is in no table. */
const OF_THE_COUNTERS = `
  SELECT pipeline, state, code, sum(count)::int AS count FROM penstock_router.counters GROUP BY 1, 2, 3
  UNION ALL
  SELECT pipeline, 'Open', '', count(*)::int FROM penstock_router.deliveries WHERE state = 'Waiting' GROUP BY 1`;

/** What the routers have committed, of all pipelines. @throws Error while the database is away. */
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
