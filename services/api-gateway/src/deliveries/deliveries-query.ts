import {
  type DeliveriesWanted,
  type Page,
  STORED_STATES,
  type StoredState,
} from '@penstock/contracts';
import { codePointLength } from '@penstock/schema';
import { malformed } from '../http/read-json';
import { type JsonSchema, oneOf } from '../openapi/schema/json-schema';
import { cursorLike, FROM, LIMIT, only, TO } from '../openapi/schema/parameters';
import { pageOf, parameter, type QueryParameters } from '../validation/page';
import { timeParameter } from '../validation/time-parameter';

/** Upper bound for the length of ids and codes. */
const MAX_TEXT = 100;

export const SHORT_TEXT: JsonSchema = {
  type: 'string',
  maxLength: MAX_TEXT,
  pattern: '^[^\\u0000]*$',
};

export const DELIVERIES_FILTER = [
  only('pipeline', SHORT_TEXT),
  only('connection', SHORT_TEXT),
  only('state', oneOf(STORED_STATES)),
  only('code', SHORT_TEXT),
  FROM,
  TO,
];

export const DELIVERIES_QUERY = [
  ...DELIVERIES_FILTER,
  LIMIT,
  cursorLike('^([0-9a-z]{1,9}-([0-9A-Za-z]{16}|[1-9A-Za-z][0-9A-Za-z]{16,25}))?$'),
];

/** Reads a text from a query. @throws Refusal BadRequest when it is longer than `max` characters, or has a NUL. */
export const textParameter = (
  query: QueryParameters,
  name: string,
  max = MAX_TEXT,
): string | undefined => {
  const text = parameter(query, name);
  if (text !== undefined && (codePointLength(text) > max || text.includes('\0')))
    throw malformed(`/${name}`, `must be at most ${max} characters, without NUL`);
  return text;
};

const isState = (text: string): text is StoredState =>
  (STORED_STATES as readonly string[]).includes(text);

const stateParameter = (query: QueryParameters): StoredState | undefined => {
  const state = parameter(query, 'state');
  if (state === undefined || isState(state)) return state;
  throw malformed('/state', `must be ${STORED_STATES.join(' or ')}`);
};

/** Reads the filter of deliveries. @throws Refusal BadRequest that names the parameter. */
export const deliveriesWanted = (query: QueryParameters): DeliveriesWanted => {
  const given = {
    pipeline: textParameter(query, 'pipeline'),
    connection: textParameter(query, 'connection'),
    state: stateParameter(query),
    code: textParameter(query, 'code'),
    from: timeParameter(query, 'from'),
    to: timeParameter(query, 'to'),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
};

/** Reads the query of a list of deliveries. @throws Refusal BadRequest that names the parameter. */
export const deliveriesPage = (query: QueryParameters): Page & DeliveriesWanted => ({
  ...pageOf(query),
  ...deliveriesWanted(query),
});
