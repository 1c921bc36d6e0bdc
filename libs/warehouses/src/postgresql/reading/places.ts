import { escapeLiteral } from 'pg';

/** An expression that no two rows have the same value of, alone or with others. */
interface IdPart {
  readonly expression: string;
  readonly sqlType: string;
}

/** By what rows are ordered. */
export interface Sorting {
  /** SQL of what is compared. */
  readonly expression: string;
  /** In the words of PostgreSQL. */
  readonly sqlType: string;
  readonly isDescending: boolean;
  /** Whether some rows have none: they are the last ones in both directions. */
  readonly isOptional: boolean;
  /** What equal rows go by. */
  readonly ids: readonly IdPart[];
}

const directed = ({ isDescending, isOptional }: Sorting, expression: string): string =>
  `${expression} ${isDescending ? 'DESC' : 'ASC'}${isOptional ? ' NULLS LAST' : ''}`;

/** Names that no column of a property has: those begin with a letter. */
const SORTED_BY = '_sorted_by';
const idName = (index: number): string => `_id_${String(index)}`;

/** SQL of the order. */
export const orderSql = (sorting: Sorting): string =>
  [directed(sorting, sorting.expression), ...sorting.ids.map(({ expression }) => expression)].join(
    ', ',
  );

/** SQL of what is compared, by names: {@link orderByName} is the order of rows that have them. */
export const namedSql = ({ expression, ids }: Sorting): string =>
  [
    `${expression} AS ${SORTED_BY}`,
    ...ids.map((id, index) => `${id.expression} AS ${idName(index)}`),
  ].join(', ');

export const orderByName = (sorting: Sorting): string =>
  [directed(sorting, SORTED_BY), ...sorting.ids.map((_, index) => idName(index))].join(', ');

export const namesSql = ({ ids }: Sorting): string =>
  [SORTED_BY, ...ids.map((_, index) => idName(index))].join(', ');

/** SQL of the place of a row with the names, as an array of texts. */
export const placeSql = ({ ids }: Sorting): string =>
  `ARRAY[${[SORTED_BY, ...ids.map((_, index) => idName(index))].map((name) => `${name}::text`).join(', ')}]`;

/** The place of a row as a text. */
export const placeOf = (values: readonly (string | null)[]): string => JSON.stringify(values);

/** SQL of a condition that the rows behind a place fulfil. @param place of {@link placeOf}, in a list by the same order */
export const behind = (
  { expression, sqlType, isDescending, isOptional, ids }: Sorting,
  place: string,
): string => {
  const [value = null, ...own] = JSON.parse(place) as readonly (string | null)[];
  const names = ids.map((id) => id.expression).join(', ');
  const values = ids.map((id, index) => `${escapeLiteral(own[index] ?? '')}::${id.sqlType}`);
  const byId = `(${names}) > (${values.join(', ')})`;
  if (value === null) return `(${expression} IS NULL AND ${byId})`;
  const operand = `${escapeLiteral(value)}::${sqlType}`;
  const beyond = isDescending ? '<' : '>';
  return isOptional
    ? `(${expression} ${beyond} ${operand} OR (${expression} = ${operand} AND ${byId}) OR ${expression} IS NULL)`
    : // As an index is read: from the value on.
      `(${expression} ${beyond}= ${operand} AND (${expression} ${beyond} ${operand} OR ${byId}))`;
};
