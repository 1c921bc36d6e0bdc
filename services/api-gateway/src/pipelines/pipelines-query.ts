import type { Queries } from '@penstock/contracts';
import { malformed } from '../http/read-json';
import { FLAG } from '../openapi/schema/json-schema';
import { only, PAGE } from '../openapi/schema/parameters';
import { pageOf, parameter, type QueryParameters } from '../validation/page';

export const PIPELINES_QUERY = [only('connection'), only('enabled', FLAG), ...PAGE];

/** @throws Refusal BadRequest */
export const pipelinesQuery = (query: QueryParameters): Queries['ListPipelines']['in'] => {
  const connection = parameter(query, 'connection');
  const enabled = parameter(query, 'enabled');
  if (enabled !== undefined && enabled !== 'true' && enabled !== 'false')
    throw malformed('/enabled', 'must be true or false');
  return {
    ...pageOf(query),
    ...(connection !== undefined && { connection }),
    ...(enabled !== undefined && { enabled: enabled === 'true' }),
  };
};
