import type { Reads } from '@penstock/contracts';
import { malformed } from '../http/read-json';
import { FLAG } from '../openapi/schema/json-schema';
import { only, PAGE, SEARCH } from '../openapi/schema/parameters';
import { parameter, searchOf, type QueryParameters } from '../validation/page';

export const PIPELINES_QUERY = [only('connection'), only('enabled', FLAG), SEARCH, ...PAGE];

/** @throws Refusal BadRequest */
export const pipelinesQuery = (query: QueryParameters): Reads['ListPipelines']['in'] => {
  const connection = parameter(query, 'connection');
  const enabled = parameter(query, 'enabled');
  if (enabled !== undefined && enabled !== 'true' && enabled !== 'false')
    throw malformed('/enabled', 'must be true or false');
  return {
    ...searchOf(query),
    ...(connection !== undefined && { connection }),
    ...(enabled !== undefined && { enabled: enabled === 'true' }),
  };
};
