import { resolvePath, type Schema } from '@penstock/schema';
import { escapeIdentifier, escapeLiteral } from 'pg';
import {
  ORDERED_CHARACTERS,
  type ProfileOrder,
  type ProfilePlace,
} from '../../platform/profile-reads';
import { columnType } from '../columns/column-type';
import { profileColumns } from '../columns/profile-columns';

/** By what rows are ordered. */
export interface Sorting {
  /** SQL of what is compared. */
  readonly expression: string;
  /** In the words of PostgreSQL. */
  readonly sqlType: string;
  readonly isDescending: boolean;
  /** Whether some rows have none. */
  readonly isOptional: boolean;
}

const BY_UPDATE = { expression: '_updated_at', sqlType: 'timestamptz', isOptional: false };

/** @throws RangeError for a path that leads to no column. */
export const sortingOf = ({ path, isDescending }: ProfileOrder, schema: Schema): Sorting => {
  if (path === null) return { ...BY_UPDATE, isDescending };
  const type = resolvePath(schema, path)?.type;
  const column = profileColumns(schema).find((each) => each.path.join('.') === path);
  if (type === undefined || column === undefined) throw new RangeError(`no column for "${path}"`);
  const name = escapeIdentifier(column.name);
  const common = { isDescending, isOptional: true };
  // Bytes of UTF-8 have the order of code points.
  return type.kind === 'string'
    ? {
        ...common,
        expression: `(left(${name}, ${String(ORDERED_CHARACTERS)}) COLLATE "C")`,
        sqlType: 'text',
      }
    : { ...common, expression: name, sqlType: columnType(type) };
};

/** SQL of an order by an expression, and then by the ids. Rows without a value are the last ones in both directions. */
export const orderSql = ({ isDescending, isOptional }: Sorting, expression: string): string =>
  `${expression} ${isDescending ? 'DESC' : 'ASC'}${isOptional ? ' NULLS LAST' : ''}, _profile_id`;

/** The place of a row, by its id and by what is compared as text. */
export const placeOf = (id: string, value: string | null): ProfilePlace =>
  value === null ? id : `${id} ${value}`;

/** SQL of a condition that the rows behind a place fulfil. */
export const behind = (
  { expression, sqlType, isDescending, isOptional }: Sorting,
  place: ProfilePlace,
): string => {
  const [, id = '', value] = /^(\S*)(?: (.*))?$/s.exec(place) ?? [];
  const byId = `_profile_id > ${escapeLiteral(id)}::uuid`;
  if (value === undefined) return `(${expression} IS NULL AND ${byId})`;
  const operand = `${escapeLiteral(value)}::${sqlType}`;
  const beyond = isDescending ? '<' : '>';
  return isOptional
    ? `(${expression} ${beyond} ${operand} OR (${expression} = ${operand} AND ${byId}) OR ${expression} IS NULL)`
    : // As an index is read: from the value on.
      `(${expression} ${beyond}= ${operand} AND (${expression} ${beyond} ${operand} OR ${byId}))`;
};
