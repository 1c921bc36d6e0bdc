import { type ConnectionId, isIdentifying, type ProfileSchema } from '@penstock/contracts';
import { escapeIdentifier } from 'pg';
import { MAX_IDENTIFIERS, type ResolutionRules } from '../../platform/resolver';
import { type ProfileColumn, profileColumns } from '../columns/profile-columns';

/** A property by whose values identities are joined. */
export interface Identifier {
  readonly path: string;
  readonly column: ProfileColumn;
  /** SQL of the text of its value, the same exactly when values are equal. */
  readonly text: string;
  /** Texts that count as no value. */
  readonly blocked: ReadonlySet<string>;
}

/** A column of profiles, with the source whose values are preferred. */
export interface ResolvedColumn extends ProfileColumn {
  readonly primarySource?: ConnectionId;
}

/** {@link ResolutionRules} in terms of the columns of a warehouse. */
export interface Rules {
  readonly identifiers: readonly Identifier[];
  readonly columns: readonly ResolvedColumn[];
}

/** Their texts are canonical already, but for that of `inet`, which may end with the length of a prefix. */
const textOf = ({ name, type }: ProfileColumn): string =>
  type.kind === 'ip' ? `host(${escapeIdentifier(name)})` : `${escapeIdentifier(name)}::text`;

/** @throws RangeError when the schema has no such identifiers, or they are too many. */
export const rulesOf = (
  { schema }: ProfileSchema,
  { identifiers, blockedValues, primarySources }: ResolutionRules,
): Rules => {
  if (identifiers.length > MAX_IDENTIFIERS)
    throw new RangeError(`there are at most ${MAX_IDENTIFIERS} identifiers`);
  const columns = profileColumns(schema);
  const byPath = new Map(columns.map((column) => [column.path.join('.'), column]));
  return {
    identifiers: identifiers.map((path) => {
      const column = byPath.get(path);
      if (column === undefined || !isIdentifying(column.type))
        throw new RangeError(`${path} cannot be an identifier`);
      return { path, column, text: textOf(column), blocked: blockedValues.get(path) ?? new Set() };
    }),
    columns: columns.map((column) => {
      const primarySource = primarySources.get(column.path.join('.'));
      return { ...column, ...(primarySource !== undefined && { primarySource }) };
    }),
  };
};
