import type { LinkView } from '@penstock/contracts';
import type { Json } from '@penstock/schema';
import { jsonInteger, jsonObject } from '../http/json-object';
import { cursorLike, LIMIT, type Parameter } from '../openapi/schema/parameters';

/** The query of a list of links. */
export const LINKS_QUERY: readonly Parameter[] = [
  LIMIT,
  cursorLike('^(v2:[A-Za-z0-9_-]{12,26}:[A-Za-z0-9_-]{1,3900})?$'),
];

/** A link as the API answers it. */
export const linkJson = ({ identities, count, ...link }: LinkView): Json =>
  jsonObject({
    ...link,
    identities: identities.map(({ userId, anonymousIds, ...identity }) =>
      jsonObject({ userId, anonymousIds: anonymousIds && [...anonymousIds], ...identity }),
    ),
    count: jsonInteger(count),
  });
