import { type Instant, instant, type Queries } from '@penstock/contracts';
import { writeJson } from '@penstock/schema';
import { FLAG } from '../openapi/schema/json-schema';
import {
  cursorLike,
  FROM,
  inQuery,
  json,
  LIMIT,
  order,
  type Parameter,
  PROPERTIES,
  TO,
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
import { timeParameter } from '../validation/time-parameter';

/** The query of the events of a profile. */
export const PROFILE_EVENTS_QUERY: readonly Parameter[] = [
  PROPERTIES,
  FROM,
  TO,
  LIMIT,
  cursorLike('^(v2:[A-Za-z0-9_-]{12,26}:[A-Za-z0-9_-]{1,3900})?$'),
];

export const EVENTS_QUERY: readonly Parameter[] = [
  ...PROFILE_EVENTS_QUERY,
  json('filter', 'Returns only events that match the filter.', 'Filter'),
  order('Path of a property by which the events are ordered. Default: `timestamp`.'),
  inQuery('ascending', 'Whether the smallest values are the first ones. Default: `false`.', FLAG),
];

const BELOW_MILLISECOND = /\.\d{3}\d*[1-9]/;

/**
 * A bound of the times of events, which have whole milliseconds: what is below them is rounded up, since no event is in
 * between.
 */
const boundParameter = (query: QueryParameters, name: string): Instant | null => {
  const cut = timeParameter(query, name);
  if (cut === undefined) return null;
  return BELOW_MILLISECOND.test(parameter(query, name) ?? '')
    ? instant(new Date(Date.parse(cut) + 1))
    : cut;
};

/** Reads the query of the events of a profile. @throws Refusal BadRequest */
export const profileEventsQuery = (
  query: QueryParameters,
): Omit<Queries['ListProfileEvents']['in'], 'profile'> => ({
  properties: propertiesParameter(query),
  from: boundParameter(query, 'from'),
  to: boundParameter(query, 'to'),
  ...pageOf(query, MAX_VALUE_CURSOR),
});

/** Reads the query of a list of events. @throws Refusal BadRequest */
export const eventsQuery = (query: QueryParameters): Queries['ListEvents']['in'] => {
  const filter = objectParameter(query, 'filter');
  return {
    ...profileEventsQuery(query),
    filter: filter === undefined ? null : writeJson(filter),
    order: parameter(query, 'order') ?? 'timestamp',
    ascending: flagParameter(query, 'ascending') ?? false,
  };
};
