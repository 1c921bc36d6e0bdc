import { escapeLiteral } from 'pg';
import { MOST_CHARACTERS, MOST_SHARED, MOST_SHARING } from '../../resolving/limits';
import { qualified } from '../sql/names';
import { isPlain, kindOfIdentifier, textOf } from './identity-keys';
import type { Rules } from './rules';

/** SQL of the values of identifiers that too many identities have in common. */
export const selectShared = (schema: string, { identifiers }: Rules): string => {
  const cases = (of: (place: number) => string): string =>
    identifiers.map((_, place) => `WHEN '${kindOfIdentifier(place)}' THEN ${of(place)}`).join(' ');
  if (identifiers.length === 0)
    return `SELECT '' AS identifier, '' AS value, 0 AS identities WHERE false`;
  const path = (place: number): string => escapeLiteral(identifiers[place]?.path ?? '');
  const text = (place: number): string => identifiers[place]?.text ?? 'NULL';
  return `
    SELECT CASE kind ${cases(path)} END AS identifier,
           CASE WHEN ${isPlain('key')} THEN ${textOf('key')}
                ELSE coalesce((SELECT left(CASE kind ${cases(text)} END, ${MOST_CHARACTERS})
                               FROM ${qualified(schema, '_identities')} WHERE _id = one), '') END AS value,
           size::float8 AS identities
    FROM (SELECT kind, key, count(*) AS size, min(identity) AS one
          FROM ${qualified(schema, '_identity_keys')}
          WHERE kind IN (${identifiers.map((_, place) => `'${kindOfIdentifier(place)}'`).join(', ')})
          GROUP BY kind, key HAVING count(*) > ${MOST_SHARING}
          ORDER BY size DESC, kind, key LIMIT ${MOST_SHARED}) AS shared
    ORDER BY size DESC, kind, key`;
};
