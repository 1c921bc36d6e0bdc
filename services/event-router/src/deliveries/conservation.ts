import { type ConservationView, END_STATES, type PipelineId } from '@penstock/contracts';
import type { Pool } from 'pg';

interface NumberRow {
  /** `null`: counted by pipeline. Else: counted for an audience in which the pipeline was enabled, or disabled. */
  readonly enabled: boolean | null;
  /** State of a delivery, or kind of a base. */
  readonly name: string;
  readonly code: string;
  readonly plain: boolean;
  readonly count: number;
}

/** Reads only the counters of the pipeline and of its audiences, unlike the view `pipeline_counts`. */
const NUMBERS = `
SELECT NULL::boolean AS enabled, state AS name, code, plain, sum(count)::float8 AS count
  FROM penstock_router.counters WHERE pipeline = $1 GROUP BY state, code, plain
UNION ALL
SELECT member.enabled, b.kind, '', false, sum(b.count)::float8
  FROM (SELECT id, true AS enabled FROM penstock_router.audiences WHERE enabled @> ARRAY[$1]
        UNION ALL
        SELECT id, false FROM penstock_router.audiences WHERE disabled @> ARRAY[$1]) member
  JOIN penstock_router.bases b ON b.audience = member.id
 GROUP BY member.enabled, b.kind`;

type Endings = Record<(typeof END_STATES)[number], number>;

/** Adds up the numbers of a pipeline as the view `pipeline_counts` does: see there for what they mean. */
const conserved = (rows: readonly NumberRow[]): ConservationView => {
  const endings = Object.fromEntries(END_STATES.map((state) => [state, 0])) as Endings;
  let [accepted, open] = [0, 0];
  for (const { enabled, name, code, plain, count } of rows)
    if (enabled !== null) {
      accepted += count;
      endings[name === 'Duplicate' || name === 'DifferentBody' ? 'Duplicate' : 'Filtered'] += count;
    } else if (name === 'Matched') {
      endings.Filtered -= count;
      if (plain) accepted -= count;
      else open += count;
    } else {
      endings[name as keyof Endings] += count;
      if (plain) accepted += count;
      else if (name === 'Filtered' && code === 'OptedOut') endings.Filtered -= count;
      else open -= count;
    }
  return { accepted, endings, open };
};

/** What became of the events that were accepted for a pipeline, from one snapshot. */
export const conservationOf = async (
  pool: Pool,
  pipeline: PipelineId,
): Promise<ConservationView> => {
  const { rows } = await pool.query<NumberRow>(NUMBERS, [pipeline]);
  return conserved(rows);
};
