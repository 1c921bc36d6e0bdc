import { type CustomDecorator, SetMetadata } from '@nestjs/common';
import type { Scope } from '@penstock/contracts';

/** Metadata of a handler: the scope that it needs, or that it needs no key at all. */
export const ACCESS = 'penstock:access';

export type Access = Scope | 'public';

/** In place of the rule that a GET needs `read` and everything else `write`. */
export const Needs = (access: Access): CustomDecorator => SetMetadata(ACCESS, access);

/** Metadata of a handler: its requests are about the organization. */
export const OF_ORGANIZATION = 'penstock:of-organization';

/** The handler acts on no workspace: none need be chosen, and one that is chosen does not matter. */
export const OfOrganization = (): CustomDecorator => SetMetadata(OF_ORGANIZATION, true);

/** Metadata of a handler: no key of one workspace may do this, whatever its scope. */
export const ORGANIZATION_KEY = 'penstock:organization-key';

export const NeedsOrganizationKey = (): CustomDecorator => SetMetadata(ORGANIZATION_KEY, true);

/** Metadata of a handler: a disabled organization may do this too. */
export const EVEN_DISABLED = 'penstock:even-disabled';

export const EvenDisabled = (): CustomDecorator => SetMetadata(EVEN_DISABLED, true);

/** Each scope includes the ones before it. */
export const SCOPES: readonly Scope[] = ['read', 'write', 'admin'];

export const includes = (held: Scope, needed: Scope): boolean =>
  SCOPES.indexOf(held) >= SCOPES.indexOf(needed);
