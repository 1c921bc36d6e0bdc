import { type ConnectionId, isIdentifying } from '@penstock/contracts';
import { MAX_IDENTIFIERS, type ResolutionRules } from '../platform/resolver';
import type { ValueColumn } from '../profiles/value-columns';
import { blockedTexts } from './blocked-texts';

/** A property by whose values identities are joined. */
export interface Identifier<Column extends ValueColumn> {
  readonly path: string;
  readonly column: Column;
  /** SQL of the text of its value, the same exactly when values are equal. */
  readonly text: string;
  /** Texts that count as no value. */
  readonly blocked: ReadonlySet<string>;
}

/** A column of profiles, with the source whose values are preferred. */
export type ResolvedColumn<Column extends ValueColumn> = Column & {
  readonly primarySource?: ConnectionId;
};

/** {@link ResolutionRules} in terms of the columns of a warehouse. */
export interface RulesOf<Column extends ValueColumn> {
  readonly identifiers: readonly Identifier<Column>[];
  readonly columns: readonly ResolvedColumn<Column>[];
}

/**
 * Rules in terms of the columns of the schema of profiles.
 *
 * @param textOf SQL of the text of the value of a column.
 * @throws RangeError when there are no such identifiers, or they are too many.
 */
export const rulesBy = <Column extends ValueColumn>(
  columns: readonly Column[],
  { identifiers, blockedValues, primarySources }: ResolutionRules,
  textOf: (column: Column) => string,
): RulesOf<Column> => {
  if (identifiers.length > MAX_IDENTIFIERS)
    throw new RangeError(`there are at most ${String(MAX_IDENTIFIERS)} identifiers`);
  const byPath = new Map(columns.map((column) => [column.path.join('.'), column]));
  return {
    identifiers: identifiers.map((path) => {
      const column = byPath.get(path);
      if (column === undefined || !isIdentifying(column.type))
        throw new RangeError(`${path} cannot be an identifier`);
      const blocked = blockedTexts(column.type, blockedValues.get(path) ?? []);
      return { path, column, text: textOf(column), blocked };
    }),
    columns: columns.map((column) => {
      const primarySource = primarySources.get(column.path.join('.'));
      return { ...column, ...(primarySource !== undefined && { primarySource }) };
    }),
  };
};
