import type { PipelineId } from '@penstock/contracts';
import { escapeIdentifier, escapeLiteral } from 'pg';
import { OTHERS } from '../merging/merge-identities';
import { qualified } from '../sql/names';
import { LAST_OF_PIECE, ofPiece, type RemovalPlace } from './remove-pieces';

/** Identities, each with a hash of what is to be cleared of it, as it was when it was looked at. */
export interface LookedAt {
  readonly ids: readonly string[];
  readonly hashes: readonly string[];
}

/** SQL that is true for an identity that has a value in one of the columns. */
const hasValue = (columns: readonly string[]): string =>
  columns.map((name) => `${escapeIdentifier(name)} IS NOT NULL`).join(' OR ');

/** SQL of a hash of the values of the columns and their times: whoever writes one of them makes another one of it. */
const hashOf = (columns: readonly string[]): string => {
  const values = columns.map((name) => `i.${escapeIdentifier(name)}`);
  const times = columns.map(
    (name) => `coalesce(times->>${escapeLiteral(name)}, times->>'${OTHERS}')`,
  );
  return `(SELECT md5(ROW(${values.join(', ')})::text || ROW(${times.join(', ')})::text)
           FROM (SELECT i._property_times AS times) AS own)`;
};

/** SQL of times before every other one for the columns: whatever is written of them later is taken. */
const clearedTimes = (columns: readonly string[]): string => {
  const earliest = JSON.stringify(Object.fromEntries(columns.map((name) => [name, ''])));
  const names = columns.map((name) => escapeLiteral(name)).join(', ');
  return `CASE WHEN i._property_times ? '${OTHERS}' THEN i._property_times || ${escapeLiteral(earliest)}::jsonb
               ELSE i._property_times - ARRAY[${names}] END`;
};

const arrayOf = (values: readonly string[], type: string): string =>
  `${escapeLiteral(`{${values.join(',')}}`)}::${type}[]`;

/**
 * A statement that looks at the next identities of a pipeline, in their order.
 *
 * @param after the last one of the piece before; absent: from the first one on.
 * @returns SQL whose result has `looked`, at how many it has looked, those that have a value in one of the columns as `ids`
 *   and `hashes`, and the last one.
 */
export const lookAtIdentities = (
  schema: string,
  pipeline: PipelineId,
  columns: readonly string[],
  after: RemovalPlace | undefined,
): string => `
  WITH piece AS MATERIALIZED (
    SELECT _id, _anonymous, _record_id, CASE WHEN ${hasValue(columns)} THEN ${hashOf(columns)} END AS hash
    FROM ${qualified(schema, '_identities')} AS i WHERE ${ofPiece(pipeline, after)}),
  filled AS (SELECT array_agg(_id::text) AS ids, array_agg(hash) AS hashes FROM piece WHERE hash IS NOT NULL)
  SELECT (SELECT count(*) FROM piece)::integer AS looked, anonymous, "recordId",
         coalesce(ids, '{}') AS ids, coalesce(hashes, '{}') AS hashes
  FROM filled, ${LAST_OF_PIECE}`;

/**
 * A statement that clears columns in identities, but in those of which one was written since they were looked at, and marks them.
 *
 * @returns SQL whose result has `identities`, how many.
 */
export const clearIdentities = (
  schema: string,
  columns: readonly string[],
  { ids, hashes }: LookedAt,
): string => {
  const nulls = columns.map((name) => `${escapeIdentifier(name)} = NULL`);
  const sets = [...nulls, `_property_times = ${clearedTimes(columns)}`];
  return `
    WITH piece AS MATERIALIZED (
      SELECT * FROM unnest(${arrayOf(ids, 'bigint')}, ${arrayOf(hashes, 'text')}) AS each (id, hash)),
    cleared AS (
      UPDATE ${qualified(schema, '_identities')} AS i SET ${sets.join(', ')}
      FROM piece AS p WHERE i._id = p.id AND p.hash = ${hashOf(columns)}
      RETURNING i._id, i._profile_id),
    marked AS (
      INSERT INTO ${qualified(schema, '_dirty')} (identity, change, profile_id)
      SELECT _id, 'changed', _profile_id FROM cleared ON CONFLICT (identity) DO NOTHING)
    SELECT count(*)::integer AS identities FROM cleared`;
};
