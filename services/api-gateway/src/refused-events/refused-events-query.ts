import {
  type ConnectionId,
  type Page,
  REFUSED_CODES,
  type RefusedCode,
  type RefusedEventsWanted,
} from '@penstock/contracts';
import { malformed } from '../http/read-json';
import { oneOf } from '../openapi/schema/json-schema';
import { cursorLike, FROM, LIMIT, only, TO } from '../openapi/schema/parameters';
import { pageOf, parameter, type QueryParameters } from '../validation/page';
import { timeParameter } from '../validation/time-parameter';

export const REFUSED_FILTER = [only('code', oneOf(REFUSED_CODES)), FROM, TO];

export const REFUSED_QUERY = [
  ...REFUSED_FILTER,
  LIMIT,
  cursorLike('^([0-9a-z]{1,9}-[0-9A-Za-z_-]{1,40})?$'),
];

const isCode = (text: string): text is RefusedCode =>
  (REFUSED_CODES as readonly string[]).includes(text);

/** Reads the filter of refused events. @throws Refusal BadRequest that names the parameter. */
export const refusedWanted = (
  query: QueryParameters,
  source: ConnectionId,
): RefusedEventsWanted => {
  const code = parameter(query, 'code');
  if (code !== undefined && !isCode(code))
    throw malformed('/code', `must be ${REFUSED_CODES.join(' or ')}`);
  const from = timeParameter(query, 'from');
  const to = timeParameter(query, 'to');
  return {
    source,
    ...(code !== undefined && { code }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
};

/** Reads the query of a list of refused events. @throws Refusal BadRequest that names the parameter. */
export const refusedPage = (
  query: QueryParameters,
  source: ConnectionId,
): Page & RefusedEventsWanted => ({ ...pageOf(query), ...refusedWanted(query, source) });
