import { type ConservationView, END_STATES, type PipelineId } from '@penstock/contracts';
import type { Pool } from 'pg';
import type { DestinationId } from '../store/lane-id';
import { Database } from '../store/postgres/sql/database';
import { CountedEvents, type CountedRow } from './counted-events';

/** Reads only the counters of the pipeline and of its audiences, unlike the view `pipeline_counts`. */
const NUMBERS = `
SELECT NULL::boolean AS enabled, state AS name, step, code, plain, sum(count)::float8 AS count
  FROM penstock_router.counters WHERE pipeline = $1 GROUP BY state, step, code, plain
UNION ALL
SELECT member.enabled, b.kind, '', '', false, sum(b.count)::float8
  FROM (SELECT id, true AS enabled FROM penstock_router.audiences WHERE enabled @> ARRAY[$1]
        UNION ALL
        SELECT id, false FROM penstock_router.audiences WHERE disabled @> ARRAY[$1]) member
  JOIN penstock_router.bases b ON b.audience = member.id
 GROUP BY member.enabled, b.kind`;

/** Records between a lane and the live readers of its partitions; keys of a lane in one partition follow the same records. */
const YET_TO_READ = `
SELECT coalesce(sum(ahead), 0)::float8 AS behind
  FROM (SELECT max(p.routed - c.position) AS ahead
          FROM penstock_router.cursors c JOIN penstock_router.partitions p USING (partition)
         WHERE c.lane = $1 AND p.routed > c.position GROUP BY c.partition) parts`;

type Endings = Record<(typeof END_STATES)[number], number>;

/**
 * What became of the events that were accepted for a pipeline, from one snapshot.
 *
 * @param lane of its destination.
 */
export const conservationOf = async (
  pool: Pool,
  pipeline: PipelineId,
  lane: DestinationId,
): Promise<ConservationView> => {
  const [rows, behind] = await new Database(pool).snapshot(async (db) => [
    (await db.query<CountedRow>(NUMBERS, [pipeline])).rows,
    (await db.query<{ behind: number }>(YET_TO_READ, [lane])).rows[0]?.behind ?? 0,
  ]);
  const events = new CountedEvents();
  for (const row of rows) events.add(row);
  const endings = Object.fromEntries(END_STATES.map((state) => [state, 0])) as Endings;
  for (const { state, count } of events.endings) endings[state] += count;
  return { accepted: events.accepted, endings, open: events.open, behind };
};
