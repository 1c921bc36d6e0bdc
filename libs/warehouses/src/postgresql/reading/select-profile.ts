import { escapeLiteral } from 'pg';
import { qualified } from '../sql/names';
import type { ValueColumn } from '../../profiles/value-columns';
import { profileSql } from './stored-profile';

/** The profile of an id; else the one that the id was merged into. */
export const selectProfile = (
  schema: string,
  id: string,
  columns: readonly ValueColumn[],
): string => {
  const profiles = qualified(schema, '_profiles');
  const shown = Object.entries(profileSql(columns)).map(([name, sql]) => `${sql} AS "${name}"`);
  const uuid = `${escapeLiteral(id)}::uuid`;
  return `
  SELECT ${shown.join(', ')} FROM ${profiles}
  WHERE _profile_id = coalesce(
    (SELECT _profile_id FROM ${profiles} WHERE _profile_id = ${uuid}),
    (SELECT profile_id FROM ${qualified(schema, '_profile_aliases')} WHERE alias = ${uuid}))`;
};
