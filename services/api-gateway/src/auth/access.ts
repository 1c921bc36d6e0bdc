import { type CustomDecorator, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Scope } from '@penstock/contracts';

/** Metadata of a handler: the scope that it needs, or that it needs no key at all. */
const ACCESS = 'penstock:access';

export type Access = Scope | 'public';

/** In place of the rule that a GET needs `read` and everything else `write`. */
export const Needs = (access: Access): CustomDecorator => SetMetadata(ACCESS, access);

/** Metadata of a handler: its requests are about the organization. */
const OF_ORGANIZATION = 'penstock:of-organization';

/** The handler acts on no workspace: none need be chosen, and one that is chosen does not matter. */
export const OfOrganization = (): CustomDecorator => SetMetadata(OF_ORGANIZATION, true);

/** Metadata of a handler: no key of one workspace may do this, whatever its scope. */
const ORGANIZATION_KEY = 'penstock:organization-key';

export const NeedsOrganizationKey = (): CustomDecorator => SetMetadata(ORGANIZATION_KEY, true);

/** Metadata of a handler: a disabled organization may do this too. */
const EVEN_DISABLED = 'penstock:even-disabled';

export const EvenDisabled = (): CustomDecorator => SetMetadata(EVEN_DISABLED, true);

/** Metadata of a handler: it looks back, also at a workspace that was deleted. */
const EVEN_DELETED = 'penstock:even-deleted';

export const EvenDeleted = (): CustomDecorator => SetMetadata(EVEN_DELETED, true);

/** What a caller must be and have. */
export interface Needed {
  readonly access: Access;
  readonly isOfOrganization: boolean;
  readonly needsOrganizationKey: boolean;
  readonly isEvenDisabled: boolean;
  readonly isEvenDeleted: boolean;
}

type Decorated = Parameters<Reflector['get']>[1];

const reflector = new Reflector();

/** What the decorators of a handler and its controller ask for, together with the rule for its HTTP method. */
export const neededFor = (handler: Decorated, controller: Decorated, method: string): Needed => {
  const decorated = <T>(name: string): T | undefined =>
    reflector.getAllAndOverride<T | undefined>(name, [handler, controller]);
  return {
    access: decorated<Access>(ACCESS) ?? (method === 'GET' || method === 'HEAD' ? 'read' : 'write'),
    isOfOrganization: decorated<boolean>(OF_ORGANIZATION) ?? false,
    needsOrganizationKey: decorated<boolean>(ORGANIZATION_KEY) ?? false,
    isEvenDisabled: decorated<boolean>(EVEN_DISABLED) ?? false,
    isEvenDeleted: decorated<boolean>(EVEN_DELETED) ?? false,
  };
};

/** Each scope includes the ones before it. */
export const SCOPES: readonly Scope[] = ['read', 'write', 'admin'];

export const includes = (held: Scope, needed: Scope): boolean =>
  SCOPES.indexOf(held) >= SCOPES.indexOf(needed);
