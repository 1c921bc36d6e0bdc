import { snowflakeText } from '@penstock/databases';
import { parseJson, type Type } from '@penstock/schema';
import { cellReader } from '../columns/read-cell';
import { stagedSql, stagedText } from '../columns/staged-text';
import { fitting, type Row } from './rows';

/** What rows are compared by. */
export interface Compared {
  /** SQL of it. */
  readonly expression: string;
  readonly type: Type;
  /** In the words of `DESCRIBE TABLE`. */
  readonly sqlType: string;
}

/** By what rows are ordered. */
export interface Sorting {
  readonly by: Compared;
  readonly isDescending: boolean;
  /** Whether some rows have none: they are the last ones in both directions. */
  readonly isOptional: boolean;
  /** No two rows have the same values of all of these. */
  readonly ids: readonly Compared[];
}

/** Names that no column of a table has. */
const SORTED_BY = '_BY';
const idName = (index: number): string => `_BY_${String(index)}`;

const directed = ({ isDescending }: Sorting, expression: string): string =>
  `${expression} ${isDescending ? 'DESC' : 'ASC'} NULLS LAST`;

/** SQL of the order. */
export const orderSql = (sorting: Sorting): string =>
  [
    directed(sorting, sorting.by.expression),
    ...sorting.ids.map(({ expression }) => expression),
  ].join(', ');

/** What is compared, by names: {@link orderByName} is the order of rows that have them. */
export const comparedShown = ({ by, ids }: Sorting): Readonly<Record<string, string>> => ({
  [SORTED_BY]: by.expression,
  ...Object.fromEntries(ids.map(({ expression }, index) => [idName(index), expression])),
});

export const orderByName = (sorting: Sorting): string =>
  [
    directed(sorting, `"${SORTED_BY}"`),
    ...sorting.ids.map((_, index) => `"${idName(index)}"`),
  ].join(', ');

/** The place of a row that has what is compared, as a text. @throws WarehouseFault `unusable` */
export const placeIn = (table: string, { by, ids }: Sorting): ((row: Row) => string) => {
  const read = [by, ...ids].map(({ type }, index) => ({
    name: index === 0 ? SORTED_BY : idName(index - 1),
    textOf: (cell: string) => stagedText(type, cellReader(type)(cell)),
  }));
  return (row) =>
    JSON.stringify(
      read.map(({ name, textOf }) => {
        const cell = row[name] ?? null;
        return cell === null ? null : fitting(table, name, () => textOf(cell));
      }),
    );
};

const literal = ({ sqlType }: Compared, text: string): string =>
  stagedSql(sqlType, snowflakeText(text));

/** SQL of whether the ids of a row are behind others. */
const behindIds = ([first, ...more]: readonly Compared[], [own, ...others]: Values): string => {
  if (first === undefined) return 'FALSE';
  const value = literal(first, own ?? '');
  const { expression } = first;
  if (more.length === 0) return `${expression} > ${value}`;
  return `(${expression} > ${value} OR (${expression} = ${value} AND ${behindIds(more, others)}))`;
};

type Values = readonly (string | null)[];

/** SQL of a condition that the rows behind a place fulfil. @param place of {@link placeIn}, in a list by the same order */
export const behind = ({ by, isDescending, isOptional, ids }: Sorting, place: string): string => {
  const [value = null, ...own] = parseJson(place) as Values;
  const byId = behindIds(ids, own);
  const { expression } = by;
  if (value === null) return `(${expression} IS NULL AND ${byId})`;
  const operand = literal(by, value);
  const beyond = `${expression} ${isDescending ? '<' : '>'} ${operand}`;
  const last = isOptional ? ` OR ${expression} IS NULL` : '';
  return `(${beyond} OR (${expression} = ${operand} AND ${byId})${last})`;
};
