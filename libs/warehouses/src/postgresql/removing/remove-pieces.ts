import type { PipelineId } from '@penstock/contracts';
import { escapeLiteral } from 'pg';
import { keepKeys } from '../resolving/identity-keys';
import { qualified } from '../sql/names';

/** Rows that one transaction deletes. */
export const PIECE = 10_000;

/** An identity of a pipeline, by its place among the others. */
export interface RemovalPlace {
  readonly anonymous: boolean;
  readonly recordId: string;
}

/** The last identity of a piece; absent: there was none. */
export interface LastOfPiece {
  readonly anonymous: boolean | null;
  readonly recordId: string | null;
}

/** @returns undefined where the piece had none */
export const placeOf = ({ anonymous, recordId }: LastOfPiece): RemovalPlace | undefined =>
  anonymous === null || recordId === null ? undefined : { anonymous, recordId };

/** SQL of a condition: of a pipeline, and behind a place, in the order of places; an absent place: from the first one on. */
export const ofPiece = (pipeline: PipelineId, after: RemovalPlace | undefined): string => {
  const behind =
    after === undefined
      ? ''
      : `AND (_anonymous, _record_id) > (${String(after.anonymous)}, ${escapeLiteral(after.recordId)})`;
  return `_pipeline = ${escapeLiteral(pipeline)} ${behind} ORDER BY _anonymous, _record_id LIMIT ${PIECE}`;
};

/** SQL of the last identity of a piece, as `anonymous` and `recordId`, beside other results. */
export const LAST_OF_PIECE = `
  (SELECT) AS one LEFT JOIN (
    SELECT _anonymous AS anonymous, _record_id AS "recordId" FROM piece
    ORDER BY _anonymous DESC, _record_id DESC LIMIT 1) AS last ON true`;

/**
 * A statement that deletes the next identities of a pipeline, in their order, and marks them as removed.
 *
 * @param after the last one of the piece before; absent: from the first one on.
 * @returns SQL whose result has `identities`, how many, and the last one.
 */
export const removeIdentities = (
  schema: string,
  pipeline: PipelineId,
  after: RemovalPlace | undefined,
): string => {
  const identities = qualified(schema, '_identities');
  return `
    WITH piece AS MATERIALIZED (
      SELECT _id, _anonymous, _record_id FROM ${identities} WHERE ${ofPiece(pipeline, after)}),
    gone AS (
      DELETE FROM ${identities} AS i USING piece AS p WHERE i._id = p._id
      RETURNING i._id, i._profile_id, i._connection, i._anonymous, i._record_id),
    known AS (${keepKeys(schema, 'gone')}),
    marked AS (
      INSERT INTO ${qualified(schema, '_dirty')} AS dirty (identity, change, profile_id)
      SELECT _id, 'removed', _profile_id FROM gone
      ON CONFLICT (identity) DO UPDATE SET change = excluded.change, profile_id = excluded.profile_id)
    SELECT (SELECT count(*) FROM piece)::integer AS identities, anonymous, "recordId" FROM ${LAST_OF_PIECE}`;
};

/** A statement whose result has `isNeeded`: whether there is an identity of a pipeline. */
export const selectNeeded = (schema: string, pipeline: PipelineId): string => `
  SELECT EXISTS (SELECT FROM ${qualified(schema, '_identities')} WHERE _pipeline = ${escapeLiteral(pipeline)})
      AS "isNeeded"`;

/** A statement that finds pipelines that have identities, by one look into an index for each. */
export const selectPipelines = (schema: string, limit: number): string => {
  const identities = qualified(schema, '_identities');
  return `
    WITH RECURSIVE found (pipeline) AS (
      (SELECT _pipeline FROM ${identities} ORDER BY _pipeline LIMIT 1)
      UNION ALL
      SELECT (SELECT _pipeline FROM ${identities} WHERE _pipeline > found.pipeline ORDER BY _pipeline LIMIT 1)
      FROM found WHERE found.pipeline IS NOT NULL)
    SELECT pipeline FROM found WHERE pipeline IS NOT NULL LIMIT ${String(limit)}`;
};
