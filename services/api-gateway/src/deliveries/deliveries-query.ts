import {
  type DeliveriesWanted,
  type Page,
  STORED_STATES,
  type StoredState,
} from '@penstock/contracts';
import { malformed } from '../http/read-json';
import { oneOf } from '../openapi/schema/json-schema';
import { cursorLike, FROM, LIMIT, only, TO } from '../openapi/schema/parameters';
import { pageOf, parameter, type QueryParameters } from '../validation/page';
import { SHORT_TEXT, textParameter } from '../validation/text-parameter';
import { timeParameter } from '../validation/time-parameter';

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
