import { escapeLiteral } from 'pg';
import type { SettledAs } from '../../platform/warehouse-writer';
import { arrayText } from '../columns/copy-text';
import { qualified } from '../sql/names';

/** No text of the server can hold it: an id that does is in no table. */
const NUL = '\u0000';

const isPossible = (id: string): boolean => !id.includes(NUL);

const textArray = (texts: readonly string[]): string =>
  `${escapeLiteral(arrayText(texts))}::text[]`;

/** What a run has settled about these record ids: `record_id`, `outcome`, `batch`. */
export const selectSeen = (schema: string, run: string, ids: readonly string[]): string =>
  `SELECT record_id, outcome, batch FROM ${qualified(schema, '_seen')}
   WHERE run = ${escapeLiteral(run)} AND record_id = ANY (${textArray(ids.filter(isPossible))})`;

/** Records ids that are counted in a batch: one that is known keeps its outcome and gets the number. */
export const recordCounted = (
  schema: string,
  run: string,
  batch: number,
  settled: ReadonlyMap<string, SettledAs>,
): string => {
  const possible = [...settled].filter(([id]) => isPossible(id));
  const [ids, outcomes] = [possible.map(([id]) => id), possible.map(([, as]) => as)];
  return `
  INSERT INTO ${qualified(schema, '_seen')} AS seen (run, record_id, outcome, batch)
  SELECT ${escapeLiteral(run)}, id, outcome, ${batch}
  FROM unnest(${textArray(ids)}, ${textArray(outcomes)}) AS given (id, outcome)
  ON CONFLICT (run, record_id) DO UPDATE SET batch = excluded.batch`;
};

/** Records the outcome of ids that were written, each once; those that are known stay as they are. */
export const recordWritten = (
  schema: string,
  run: string,
  batch: number,
  ids: readonly string[],
  as: SettledAs,
): string => `
  INSERT INTO ${qualified(schema, '_seen')} (run, record_id, outcome, batch)
  SELECT ${escapeLiteral(run)}, id, '${as}', ${batch}
  FROM unnest(${textArray(ids.filter(isPossible))}) AS id
  ON CONFLICT (run, record_id) DO NOTHING`;
