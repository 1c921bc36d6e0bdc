import type { Reads } from '@penstock/contracts';
import { FLAG } from '../openapi/schema/json-schema';
import { only, PAGE, SEARCH } from '../openapi/schema/parameters';
import { flagParameter, parameter, searchOf, type QueryParameters } from '../validation/page';

export const PIPELINES_QUERY = [only('connection'), only('enabled', FLAG), SEARCH, ...PAGE];

/** Reads the query of a list of pipelines. @throws Refusal BadRequest */
export const pipelinesQuery = (query: QueryParameters): Reads['ListPipelines']['in'] => {
  const connection = parameter(query, 'connection');
  const enabled = flagParameter(query, 'enabled');
  return {
    ...searchOf(query),
    ...(connection !== undefined && { connection }),
    ...(enabled !== undefined && { enabled }),
  };
};
