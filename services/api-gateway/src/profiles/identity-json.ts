import type { IdentityView } from '@penstock/contracts';
import type { Json } from '@penstock/schema';
import { jsonObject } from '../http/json-object';
import { cursorLike, LIMIT, type Parameter } from '../openapi/schema/parameters';

/** The query of a list of identities. */
export const IDENTITIES_QUERY: readonly Parameter[] = [
  LIMIT,
  cursorLike('^(v2:[A-Za-z0-9_-]{12,26}:[A-Za-z0-9_-]{1,150})?$'),
];

/** An identity as the API answers it. */
export const identityJson = ({ userId, anonymousIds, ...identity }: IdentityView): Json =>
  jsonObject({ userId, anonymousIds: anonymousIds && [...anonymousIds], ...identity });
