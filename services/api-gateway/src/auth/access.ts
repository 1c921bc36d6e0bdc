import { type CustomDecorator, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Scope } from '@penstock/contracts';

/** Metadata key: the scope that the handler needs, or `public`. */
const ACCESS = 'penstock:access';

export type Access = Scope | 'public';

/** Overrides the default: GET and HEAD need scope `read`, all other methods `write`. */
export const Needs = (access: Access): CustomDecorator => SetMetadata(ACCESS, access);

/** Metadata key: the handler's requests act on the organization. */
const OF_ORGANIZATION = 'penstock:of-organization';

/** Marks a handler that acts on no workspace: the header `Penstock-Workspace` is ignored. */
export const OfOrganization = (): CustomDecorator => SetMetadata(OF_ORGANIZATION, true);

/** Metadata key: keys that are bound to a workspace are refused, whatever their scope. */
const ORGANIZATION_KEY = 'penstock:organization-key';

export const NeedsOrganizationKey = (): CustomDecorator => SetMetadata(ORGANIZATION_KEY, true);

/** Metadata key: the handler serves a disabled organization too. */
const EVEN_DISABLED = 'penstock:even-disabled';

export const EvenDisabled = (): CustomDecorator => SetMetadata(EVEN_DISABLED, true);

/** Metadata key: the handler serves keys of the organization for a deleted workspace too. */
const EVEN_DELETED = 'penstock:even-deleted';

export const EvenDeleted = (): CustomDecorator => SetMetadata(EVEN_DELETED, true);

/** Requirements of a handler on its caller. */
export interface Needed {
  readonly access: Access;
  readonly isOfOrganization: boolean;
  readonly needsOrganizationKey: boolean;
  readonly isEvenDisabled: boolean;
  readonly isEvenDeleted: boolean;
}

type Decorated = Parameters<Reflector['get']>[1];

const reflector = new Reflector();

/** Combines the decorators of a handler and its controller with the default for its HTTP method. */
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

/** Each of these scopes includes the ones before it. */
const GRADED: readonly Scope[] = ['read', 'write', 'admin'];

/** What a key may be made for. `mcp` includes no other scope, and is included in none. */
export const SCOPES: readonly Scope[] = [...GRADED, 'mcp'];

export const includes = (held: Scope, needed: Scope): boolean =>
  GRADED.includes(needed) ? GRADED.indexOf(held) >= GRADED.indexOf(needed) : held === needed;
