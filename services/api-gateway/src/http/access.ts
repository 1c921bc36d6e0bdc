import { type CustomDecorator, SetMetadata } from '@nestjs/common';
import type { Scope } from '@penstock/contracts';

/** Metadata of a handler: the scope that it needs, or that it needs no key at all. */
export const ACCESS = 'penstock:access';

export type Access = Scope | 'public';

/** In place of the rule that a GET needs `read` and everything else `write`. */
export const Needs = (access: Access): CustomDecorator => SetMetadata(ACCESS, access);

/** Each scope includes the ones before it. */
const SCOPES: readonly Scope[] = ['read', 'write', 'admin'];

export const includes = (held: Scope, needed: Scope): boolean =>
  SCOPES.indexOf(held) >= SCOPES.indexOf(needed);
