import type { PipelineId } from '@penstock/contracts';
import { escapeLiteral } from 'pg';
import { qualified } from '../sql/names';

/** Identities that one transaction looks at. */
const PIECE = 5_000;

/**
 * A statement that deletes, of the next known identities of a pipeline in the order of their record ids, those that the run
 * has not seen or has left out, and marks them as removed. It finds none when nothing is recorded of the run.
 *
 * @param after the record id of the last identity of the piece before; empty for the first piece.
 * @returns SQL whose result has `deleted`, and `last`: the last record id, null at the end.
 */
export const purgePiece = (
  schema: string,
  pipeline: PipelineId,
  run: string,
  after: string,
): string => {
  const identities = qualified(schema, '_identities');
  const ofRun = `FROM ${qualified(schema, '_seen')} WHERE run = ${escapeLiteral(run)}`;
  // A join would rather read the whole run for each identity while statistics do not know the run.
  const outcome = `(SELECT outcome ${ofRun} AND record_id = p._record_id)`;
  return `
    WITH piece AS MATERIALIZED (
      SELECT _id, _record_id FROM ${identities}
      WHERE _pipeline = ${escapeLiteral(pipeline)} AND _anonymous = false
        AND _record_id > ${escapeLiteral(after)} AND EXISTS (SELECT ${ofRun})
      ORDER BY _record_id LIMIT ${PIECE}),
    gone AS (
      DELETE FROM ${identities} AS i USING piece AS p
      WHERE i._id = p._id
        AND coalesce(${outcome}, 'Filter') = 'Filter'
      RETURNING i._id, i._profile_id),
    marked AS (
      INSERT INTO ${qualified(schema, '_dirty')} AS dirty (identity, change, profile_id)
      SELECT _id, 'removed', _profile_id FROM gone
      ON CONFLICT (identity) DO UPDATE SET change = excluded.change)
    SELECT (SELECT count(*) FROM gone)::int AS deleted, (SELECT max(_record_id) FROM piece) AS last`;
};
