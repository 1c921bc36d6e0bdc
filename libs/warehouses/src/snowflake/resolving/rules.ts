import type { ProfileSchema } from '@penstock/contracts';
import { snowflakeName } from '@penstock/databases';
import type { ResolutionRules } from '../../platform/resolver';
import {
  type Identifier as IdentifierOf,
  type ResolvedColumn as ResolvedColumnOf,
  rulesBy,
  type RulesOf,
} from '../../resolving/rules';
import { type ProfileColumn, profileColumns } from '../columns/profile-columns';

/** A property by whose values identities are joined. */
export type Identifier = IdentifierOf<ProfileColumn>;

/** A column of profiles, with the source whose values are preferred. */
export type ResolvedColumn = ResolvedColumnOf<ProfileColumn>;

/** {@link ResolutionRules} in terms of the columns of a warehouse. */
export type Rules = RulesOf<ProfileColumn>;

/** Writers keep canonical texts, also of UUIDs and IP addresses. */
const textOf = ({ name }: ProfileColumn): string => `CAST(${snowflakeName(name)} AS VARCHAR)`;

/** @throws RangeError when the schema has no such identifiers, or they are too many. */
export const rulesOf = ({ schema }: ProfileSchema, rules: ResolutionRules): Rules =>
  rulesBy(profileColumns(schema), rules, textOf);
