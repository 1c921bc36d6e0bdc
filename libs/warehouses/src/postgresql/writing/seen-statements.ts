import { escapeLiteral } from 'pg';
import type { RunOfBatch, SettledAs } from '../../platform/warehouse-writer';
import { arrayText } from '../columns/copy-text';
import { qualified } from '../sql/names';

/** No text of the server can hold it: an id that does is in no table. */
const NUL = '\u0000';

const isPossible = (id: string): boolean => !id.includes(NUL);

const textArray = (texts: readonly string[]): string =>
  `${escapeLiteral(arrayText(texts))}::text[]`;

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
export const recordCounted = (
  schema: string,
  { id, batch, settled, times }: RunOfBatch,
): string => {
  const possible = [...settled].filter(([each]) => isPossible(each));
  const [ids, outcomes] = [possible.map(([each]) => each), possible.map(([, as]) => as)];
  return `
  INSERT INTO ${qualified(schema, '_seen')} AS seen (run, record_id, outcome, batch, updated_at_us)
  SELECT ${escapeLiteral(id)}, id, outcome, ${batch}, at
  FROM unnest(${textArray(ids)}, ${textArray(outcomes)}, ${timesOf(ids, times)}) AS given (id, outcome, at)
  ON CONFLICT (run, record_id) DO UPDATE SET batch = excluded.batch`;
};

/** Records the outcome of ids that were written, each once; those that are known stay as they are. */
export const recordWritten = (
  schema: string,
  { id, batch, times }: RunOfBatch,
  written: readonly string[],
  as: SettledAs,
): string => {
  const ids = written.filter(isPossible);
  return `
  INSERT INTO ${qualified(schema, '_seen')} (run, record_id, outcome, batch, updated_at_us)
  SELECT ${escapeLiteral(id)}, id, '${as}', ${batch}, at
  FROM unnest(${textArray(ids)}, ${timesOf(ids, times)}) AS given (id, at)
  ON CONFLICT (run, record_id) DO NOTHING`;
};
