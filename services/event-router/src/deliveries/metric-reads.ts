import {
  type ConnectionId,
  type MetricsPeriod,
  type PipelineId,
  type PipelineMetrics,
  Refusal,
  type SourceMetrics,
  type SourceNumbers,
  STEP_SIZES,
} from '@penstock/contracts';
import type { Pool, PoolClient } from 'pg';
import type { BaseKind } from '../store/changes';
import { Database } from '../store/postgres/sql/database';
import { oldestWaiting } from './oldest-waiting';
import { beginOf, type CountedPeriod, pipelineMetrics } from './pipeline-metrics';

/**
 * Most numbers of endings in an answer, so that it fits into one message of the log: 8,000 in 1,440 steps of time are five different
 * endings in each.
 */
const MAX_ENDINGS = 8_000;

const KINDS: readonly BaseKind[] = ['New', 'Duplicate', 'DifferentBody', 'Suppressed'];

/** An audience of several of the pipelines counts once for each of them. */
const EVENTS = `
WITH member AS (
  SELECT a.id, true AS enabled, count(*) AS pipelines
    FROM unnest($1::text[]) AS wanted (pipeline)
    JOIN penstock_router.audiences a ON a.enabled @> ARRAY[wanted.pipeline] GROUP BY a.id
  UNION ALL
  SELECT a.id, false, count(*)
    FROM unnest($1::text[]) AS wanted (pipeline)
    JOIN penstock_router.audiences a ON a.disabled @> ARRAY[wanted.pipeline] GROUP BY a.id
)
SELECT minute / $4::int AS at, NULL::boolean AS enabled, state AS name, step, code, plain, sum(count)::float8 AS count
  FROM penstock_router.counters
 WHERE pipeline = ANY ($1) AND minute >= $2 AND minute < $3
 GROUP BY 1, state, step, code, plain
UNION ALL
SELECT b.minute / $4, member.enabled, b.kind, '', '', false, sum(b.count * member.pipelines)::float8
  FROM member JOIN penstock_router.bases b
    ON b.audience = member.id AND b.kind = ANY ($5) AND b.minute >= $2 AND b.minute < $3
 GROUP BY 1, member.enabled, b.kind
 LIMIT ${MAX_ENDINGS + 1}`;

const RETRIES = `
SELECT minute / $4::int AS at, sum(retries)::float8 AS retries
  FROM penstock_router.delivery_times WHERE pipeline = ANY ($1) AND minute >= $2 AND minute < $3 GROUP BY 1`;

const LATENCIES = `
SELECT at, array_agg(bucket) AS buckets, array_agg(count) AS counts
  FROM (SELECT t.minute / $4::int AS at, latency.bucket, sum(latency.count)::float8 AS count
          FROM penstock_router.delivery_times t CROSS JOIN LATERAL unnest(t.buckets, t.counts) AS latency (bucket, count)
         WHERE t.pipeline = ANY ($1) AND t.minute >= $2 AND t.minute < $3 GROUP BY 1, 2) counted
 GROUP BY at`;

const OF_SOURCE = `
SELECT minute / $4::int AS at, kind, sum(count)::float8 AS count
  FROM penstock_router.source_events WHERE source = $1 AND minute >= $2 AND minute < $3 GROUP BY 1, kind`;

const MINUTE_MS = STEP_SIZES.minute.ms;

/** Begin and end of the period and length of its steps, in minutes since 1970 and in minutes. */
const minutesOf = ({ from, to, stepSize }: MetricsPeriod): [number, number, number] => [
  Date.parse(from) / MINUTE_MS,
  Date.parse(to) / MINUTE_MS,
  STEP_SIZES[stepSize].ms / MINUTE_MS,
];

const tooMany = (): Refusal => {
  const message = 'must be longer, or the period shorter: there are too many different endings';
  return new Refusal('BadRequest', { details: [{ path: '/stepSize', message }] });
};

const NUMBER_OF: Readonly<Record<BaseKind, keyof SourceNumbers | undefined>> = {
  New: undefined,
  Duplicate: 'duplicates',
  DifferentBody: 'differentBodies',
  Suppressed: 'suppressed',
};

const NONE: SourceNumbers = { accepted: 0, duplicates: 0, differentBodies: 0, suppressed: 0 };

/** Adds events of a kind. */
const withEvents = (numbers: SourceNumbers, kind: BaseKind, count: number): SourceNumbers => {
  const name = NUMBER_OF[kind];
  const accepted = numbers.accepted + count;
  return { ...numbers, accepted, ...(name && { [name]: numbers[name] + count }) };
};

/**
 * Reads metrics. A row is read by the pipeline or source and the time, so that what is stored of others does not matter; each
 * answer sees one state of the store.
 */
export class MetricReads {
  private readonly database: Database;

  constructor(private readonly pool: Pool) {
    this.database = new Database(pool);
  }

  /**
   * The sum of pipelines of one destination.
   *
   * @throws Refusal BadRequest when there are too many different endings.
   */
  pipelines(
    pipelines: readonly PipelineId[],
    place: { readonly workspace: string; readonly connection: ConnectionId },
    period: MetricsPeriod,
  ): Promise<PipelineMetrics> {
    return this.database.snapshot(async (db) => {
      const counted = await this.counted(db, pipelines, period);
      const lag = await oldestWaiting(db, pipelines, place);
      return { ...pipelineMetrics(counted, period.stepSize), lag };
    });
  }

  async source(source: ConnectionId, period: MetricsPeriod): Promise<SourceMetrics> {
    const { rows } = await this.pool.query<{ at: number; kind: BaseKind; count: number }>(
      OF_SOURCE,
      [source, ...minutesOf(period)],
    );
    let total = NONE;
    const bySteps = new Map<number, SourceNumbers>();
    for (const { at, kind, count } of rows) {
      total = withEvents(total, kind, count);
      bySteps.set(at, withEvents(bySteps.get(at) ?? NONE, kind, count));
    }
    const points = [...bySteps]
      .sort(([one], [other]) => one - other)
      .map(([at, numbers]) => ({ at: beginOf(at, period.stepSize), ...numbers }));
    return { total, points };
  }

  private async counted(
    db: PoolClient,
    pipelines: readonly PipelineId[],
    period: MetricsPeriod,
  ): Promise<CountedPeriod> {
    const values = [pipelines, ...minutesOf(period)];
    const { rows: events } = await db.query<CountedPeriod['events'][number]>(EVENTS, [
      ...values,
      KINDS,
    ]);
    if (events.length > MAX_ENDINGS) throw tooMany();
    const { rows: retries } = await db.query<CountedPeriod['retries'][number]>(RETRIES, values);
    const { rows: latencies } = await db.query<CountedPeriod['latencies'][number]>(
      LATENCIES,
      values,
    );
    return { events, retries, latencies };
  }
}
