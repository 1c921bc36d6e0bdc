import { escapeLiteral } from 'pg';
import type { BatchOutcomes, WrittenIds } from '../../merging/batch-outcomes';
import { FILTERED_FIRST } from '../../merging/batch-outcomes';
import type { RunOfBatch } from '../../platform/warehouse-writer';
import { arrayText } from '../columns/copy-text';
import { literal } from '../sql/literal';
import { qualified } from '../sql/names';

/** No text of the server can hold it: an id that does is in no table. */
const NUL = '\u0000';

const isPossible = (id: string): boolean => !id.includes(NUL);

const textArray = (texts: readonly string[]): string => `${literal(arrayText(texts))}::text[]`;

/** `NULL` for those without a time. */
const timesOf = (ids: readonly string[], times: RunOfBatch['times']): string => {
  const texts = ids.map((id) => times?.get(id)?.toString() ?? 'NULL');
  return `'{${texts.join(',')}}'::bigint[]`;
};

/**
 * What a run has settled about these record ids: `record_id`, `outcome`, `batch`, `updated_at_us`. Each is looked up by
 * itself: while statistics do not know the run, the planner would rather read all of it and look for the ids there.
 */
export const selectSeen = (schema: string, run: string, ids: readonly string[]): string =>
  `SELECT seen.* FROM unnest(${textArray(ids.filter(isPossible))}) AS given (id) CROSS JOIN LATERAL (
     SELECT record_id, outcome, batch, updated_at_us FROM ${qualified(schema, '_seen')}
     WHERE run = ${escapeLiteral(run)} AND record_id = given.id OFFSET 0) AS seen`;

/** Records ids that are counted in a batch: one that is known keeps its outcome and gets the number. */
const recordCounted = (schema: string, { id, batch, settled, times }: RunOfBatch): string => {
  const possible = [...settled].filter(([each]) => isPossible(each));
  const [ids, outcomes] = [possible.map(([each]) => each), possible.map(([, as]) => as)];
  return `
  INSERT INTO ${qualified(schema, '_seen')} AS seen (run, record_id, outcome, batch, updated_at_us)
  SELECT ${escapeLiteral(id)}, id, outcome, ${batch}, at
  FROM unnest(${textArray(ids)}, ${textArray(outcomes)}, ${timesOf(ids, times)}) AS given (id, outcome, at)
  ON CONFLICT (run, record_id) DO UPDATE SET batch = excluded.batch`;
};

/** Marks ids of which the filter has not left out every record, so that a purge leaves them. */
const recordUnfiltered = (schema: string, id: string, unfiltered: ReadonlySet<string>): string => `
  UPDATE ${qualified(schema, '_seen')} SET outcome = '${FILTERED_FIRST}'
  WHERE run = ${escapeLiteral(id)} AND outcome = 'Filter'
    AND record_id = ANY (${textArray([...unfiltered].filter(isPossible))})`;

/**
 * Tells what a run had settled about ids that were written, as {@link selectSeen} does, and records the outcome of those of
 * which it had settled nothing. Each is looked up once. No other transaction may record of the run meanwhile.
 */
const recordWritten = (
  schema: string,
  { id, batch, times }: RunOfBatch,
  { merged, refused, counted }: WrittenIds,
): string => {
  const seen = qualified(schema, '_seen');
  const given = [
    { ids: merged, outcome: `'Merged'` },
    { ids: refused, outcome: `'Finalize'` },
    { ids: counted, outcome: 'NULL' },
  ].map(({ ids, outcome }) => {
    const possible = ids.filter(isPossible);
    return `SELECT id, ${outcome}::text AS becomes, at
            FROM unnest(${textArray(possible)}, ${timesOf(possible, times)}) AS ids (id, at)`;
  });
  return `
  WITH known AS MATERIALIZED (
    SELECT given.*, before.*
    FROM (${given.join(' UNION ALL ')}) AS given LEFT JOIN LATERAL (
      SELECT record_id, outcome, batch, updated_at_us FROM ${seen}
      WHERE run = ${escapeLiteral(id)} AND record_id = given.id OFFSET 0) AS before ON true),
  added AS (
    INSERT INTO ${seen} (run, record_id, outcome, batch, updated_at_us)
    -- Halves of surrogate pairs are all the same to the server.
    SELECT DISTINCT ON (id) ${escapeLiteral(id)}, id, becomes, ${batch}, at FROM known
    WHERE record_id IS NULL AND becomes IS NOT NULL)
  SELECT record_id, outcome, batch, updated_at_us FROM known WHERE record_id IS NOT NULL`;
};

/**
 * Statements that read what the run had settled before, and record what it has settled now; none for what is of no run. Those that
 * are counted without being written come last: what they are is told of them otherwise.
 */
export const seenStatements = (
  schema: string,
  run: RunOfBatch | undefined,
  outcomes: BatchOutcomes,
): readonly string[] => {
  if (run === undefined) return [];
  return [
    recordWritten(schema, run, outcomes.writtenIds(run)),
    ...(run.settled.size > 0 ? [recordCounted(schema, run)] : []),
    ...(run.unfiltered?.size ? [recordUnfiltered(schema, run.id, run.unfiltered)] : []),
  ];
};
