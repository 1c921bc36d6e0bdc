import { ALERT_WINDOWS, type AlertWindow, type PipelineId } from '@penstock/contracts';
import type { PoolClient } from 'pg';
import type { EndingCounts, MeasuredPipeline, PipelineMeasure } from '../../alerts/alert-store';

const LONGEST = Math.max(...ALERT_WINDOWS);

const IS_KEPT = `(c.state = 'Rejected' OR c.state = 'Parked' AND c.code NOT IN ('Deleted', 'Expired'))`;

/** The endings of a window, as one array: all of them, and the dead letters. */
const ofWindow = (minutes: number): string => `
  ARRAY[coalesce(sum(c.count) FILTER (WHERE c.minute > present.minute - ${String(minutes)}), 0),
        coalesce(sum(c.count) FILTER (WHERE c.minute > present.minute - ${String(minutes)} AND ${IS_KEPT}), 0)
  ]::float8[] AS of_${String(minutes)}`;

/**
 * One statement for all pipelines, each of which is looked up through indexes: its counts of an hour at most, the noted
 * times of it and its destination, and its oldest stored delivery that waits.
 */
const MEASURE = `
SELECT wanted.pipeline, ${ALERT_WINDOWS.map((minutes) => `ended.of_${String(minutes)}`).join(', ')},
       coalesce(greatest(0, ceil(extract(epoch FROM now() - least(noted.since, stored.received)))), 0)::float8 AS lag
  FROM unnest($1::text[], $2::text[], $3::text[]) AS wanted (pipeline, connection, workspace)
 CROSS JOIN (SELECT floor(extract(epoch FROM now()) / 60)::int AS minute) present
 CROSS JOIN LATERAL (
   SELECT ${ALERT_WINDOWS.map(ofWindow).join(', ')}
     FROM penstock_router.counters c
    WHERE c.pipeline = wanted.pipeline AND c.minute > present.minute - ${String(LONGEST)}
      AND c.state IN ('Delivered', 'Rejected', 'Parked')) ended
 CROSS JOIN LATERAL (
   SELECT min(w.since) AS since FROM penstock_router.waiting w
    WHERE w.about IN (wanted.pipeline, wanted.connection)) noted
  LEFT JOIN LATERAL (
   SELECT d.received FROM penstock_router.deliveries d
    WHERE d.workspace = wanted.workspace AND d.pipeline = wanted.pipeline AND d.state = 'Waiting' AND d.code = ''
    ORDER BY d.received LIMIT 1) stored ON true`;

type Row = { readonly pipeline: PipelineId; readonly lag: number } & Readonly<
  Record<`of_${AlertWindow}`, readonly [all: number, deadLetters: number]>
>;

/** Endings that were taken back, since their deliveries were redriven, may exceed those of a short time. */
const endingsOf = ([all, deadLetters]: readonly [number, number]): EndingCounts => ({
  all: Math.max(0, all),
  deadLetters: Math.max(0, deadLetters),
});

/** Measures pipelines, however many, by one statement. */
export const measure = async (
  db: PoolClient,
  pipelines: readonly MeasuredPipeline[],
): Promise<ReadonlyMap<PipelineId, PipelineMeasure>> => {
  if (pipelines.length === 0) return new Map();
  const { rows } = await db.query<Row>(MEASURE, [
    pipelines.map(({ pipeline }) => pipeline),
    pipelines.map(({ connection }) => connection),
    pipelines.map(({ workspace }) => workspace),
  ]);
  return new Map(
    rows.map(({ pipeline, lag, ...of }) => [
      pipeline,
      {
        endings: { 5: endingsOf(of.of_5), 15: endingsOf(of.of_15), 60: endingsOf(of.of_60) },
        lagSeconds: lag,
      },
    ]),
  );
};
