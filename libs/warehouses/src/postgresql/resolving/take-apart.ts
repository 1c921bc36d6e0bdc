import { escapeLiteral } from 'pg';
import { qualified } from '../sql/names';

/** Identities of one piece: writers wait for about half a second. */
export const APART_AT_ONCE = 5_000;

/**
 * A statement that marks the next identities in the order of their ids as changed, and deletes their keys. Those of identities
 * that are gone stay, as they tell whose events they had. While nobody else writes identities; to repeat it changes nothing.
 *
 * @param after the id of the last identity of the piece before; 0 for the first piece.
 * @returns SQL whose result has `last`: the id of the last identity, null at the end.
 */
export const takeApartPiece = (schema: string, after: string, limit = APART_AT_ONCE): string => {
  const table = (name: string): string => qualified(schema, name);
  return `
    WITH piece AS MATERIALIZED (
      SELECT _id, _profile_id FROM ${table('_identities')}
      WHERE _id > ${after} ORDER BY _id LIMIT ${limit}),
    lost AS (
      DELETE FROM ${table('_identity_keys')} AS k USING piece AS p WHERE k.identity = p._id),
    marked AS (
      INSERT INTO ${table('_dirty')} (identity, change, profile_id)
      SELECT _id, 'changed', _profile_id FROM piece ORDER BY _id
      ON CONFLICT (identity) DO NOTHING)
    SELECT max(_id)::text AS last FROM piece`;
};

/**
 * A statement that has profiles looked into that no identity has any more, as after the table of the identities was lost: each
 * is marked as if an identity of it had been removed, by a number that none has. To repeat it changes nothing.
 */
export const markEmptyProfiles = (schema: string): string => {
  const table = (name: string): string => qualified(schema, name);
  const number = `nextval(pg_get_serial_sequence(${escapeLiteral(table('_identities'))}, '_id'))`;
  return `
    INSERT INTO ${table('_dirty')} (identity, change, profile_id)
    SELECT ${number}, 'removed', p._profile_id FROM ${table('_profiles')} AS p
    WHERE NOT EXISTS (SELECT FROM ${table('_identities')} AS i WHERE i._profile_id = p._profile_id)
      AND NOT EXISTS (SELECT FROM ${table('_dirty')} AS d WHERE d.profile_id = p._profile_id)`;
};
