import type { ProfileSchema } from '@penstock/contracts';
import { escapeIdentifier } from 'pg';
import type { ResolutionRules } from '../../platform/resolver';
import { type Identifier as IdentifierOf, rulesBy, type RulesOf } from '../../resolving/rules';
import type { ResolvedColumn as ResolvedColumnOf } from '../../resolving/rules';
import { type ProfileColumn, profileColumns } from '../columns/profile-columns';

/** A property by whose values identities are joined. */
export type Identifier = IdentifierOf<ProfileColumn>;

/** A column of profiles, with the source whose values are preferred. */
export type ResolvedColumn = ResolvedColumnOf<ProfileColumn>;

/** {@link ResolutionRules} in terms of the columns of a warehouse. */
export type Rules = RulesOf<ProfileColumn>;

/** Their texts are canonical already, but for that of `inet`, which may end with the length of a prefix. */
const textOf = ({ name, type }: ProfileColumn): string =>
  type.kind === 'ip' ? `host(${escapeIdentifier(name)})` : `${escapeIdentifier(name)}::text`;

/** @throws RangeError when the schema has no such identifiers, or they are too many. */
export const rulesOf = ({ schema }: ProfileSchema, rules: ResolutionRules): Rules =>
  rulesBy(profileColumns(schema), rules, textOf);
