import type { PipelineId } from '@penstock/contracts';
import { escapeLiteral } from 'pg';
import { keepKeys } from '../resolving/identity-keys';
import { qualified } from '../sql/names';

/** Identities that one transaction looks at. */
const PIECE = 5_000;

/** The name under which `_seen` has how many identities a run has purged: ids of runs have no space. */
export const purgeOf = (run: string): string => `${run} purge`;

/**
 * A statement that deletes, of the next known identities of a pipeline in the order of their record ids, those that the run
 * has not seen or has left out, marks them as removed, and counts them: what is counted is deleted, whatever becomes of
 * whoever counts. It finds none when nothing is recorded of the run.
 *
 * @param after the record id of the last identity of the piece before; empty for the first piece.
 * @returns SQL whose result has `purged`: identities that the run has purged until then, and `last`: the last record id,
 *   null when there is no more.
 */
export const purgePiece = (
  schema: string,
  pipeline: PipelineId,
  run: string,
  after: string,
): string => {
  const identities = qualified(schema, '_identities');
  const seen = qualified(schema, '_seen');
  const ofRun = `FROM ${seen} WHERE run = ${escapeLiteral(run)}`;
  const ofPurge = escapeLiteral(purgeOf(run));
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
      RETURNING i._id, i._profile_id, i._connection, i._anonymous, i._record_id),
    known AS (${keepKeys(schema, 'gone')}),
    marked AS (
      INSERT INTO ${qualified(schema, '_dirty')} AS dirty (identity, change, profile_id)
      SELECT _id, 'removed', _profile_id FROM gone
      ON CONFLICT (identity) DO UPDATE SET change = excluded.change, profile_id = excluded.profile_id),
    counted AS (
      INSERT INTO ${seen} AS seen (run, record_id, outcome, batch)
      SELECT ${ofPurge}, '', 'Purged', count(*) FROM gone HAVING count(*) > 0
      ON CONFLICT (run, record_id) DO UPDATE SET batch = seen.batch + excluded.batch)
    SELECT (SELECT CASE WHEN count(*) = ${PIECE} THEN max(_record_id) END FROM piece) AS last, (
        coalesce((SELECT batch FROM ${seen} WHERE run = ${ofPurge} AND record_id = ''), 0)
        + (SELECT count(*) FROM gone))::float8 AS purged`;
};
