import type { Queries } from '@penstock/contracts';
import { writeJson } from '@penstock/schema';
import {
  COUNT,
  cursorLike,
  json,
  LIMIT,
  order,
  ORDER_DESC,
  type Parameter,
  PROPERTIES,
} from '../openapi/schema/parameters';
import { objectParameter } from '../validation/object-parameter';
import {
  flagParameter,
  MAX_VALUE_CURSOR,
  pageOf,
  parameter,
  type QueryParameters,
} from '../validation/page';
import { propertiesParameter } from '../validation/properties-parameter';

export const PROFILES_QUERY: readonly Parameter[] = [
  PROPERTIES,
  json('filter', 'Returns only profiles that match the filter.', 'Filter'),
  order('Path of a property by which the profiles are ordered. Default: the time of the update.'),
  ORDER_DESC,
  COUNT,
  LIMIT,
  cursorLike('^(v2:[A-Za-z0-9_-]{12,26}:[A-Za-z0-9_-]{1,3900})?$'),
];

/** Reads the query of a list of profiles. @throws Refusal BadRequest */
export const profilesQuery = (query: QueryParameters): Queries['ListProfiles']['in'] => {
  const filter = objectParameter(query, 'filter');
  return {
    properties: propertiesParameter(query),
    filter: filter === undefined ? null : writeJson(filter),
    order: parameter(query, 'order') ?? null,
    orderDesc: flagParameter(query, 'orderDesc') ?? null,
    count: flagParameter(query, 'count') ?? false,
    ...pageOf(query, MAX_VALUE_CURSOR),
  };
};
