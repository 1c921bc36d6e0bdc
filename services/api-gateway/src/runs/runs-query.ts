import { isIdForm } from '@penstock/contracts';
import { malformed } from '../http/read-json';
import { oneOf } from '../openapi/schema/json-schema';
import { FROM, only, PAGE, TO } from '../openapi/schema/parameters';
import { pageOf, parameter, type QueryParameters } from '../validation/page';
import { timeParameter } from '../validation/time-parameter';

const STATUSES = ['Queued', 'Running', 'Succeeded', 'Failed', 'Cancelled'];

export const RUNS_QUERY = [only('pipeline'), only('status', oneOf(STATUSES)), FROM, TO, ...PAGE];

/** Checks the query of a list of runs. @throws Refusal BadRequest */
export const checkRunsQuery = (query: QueryParameters): void => {
  const { cursor } = pageOf(query);
  if (cursor !== '' && !isIdForm(cursor))
    throw malformed('/cursor', 'must be a cursor that a list has answered');
  parameter(query, 'pipeline');
  const status = parameter(query, 'status');
  if (status !== undefined && !STATUSES.includes(status))
    throw malformed('/status', `must be ${STATUSES.join(' or ')}`);
  for (const name of ['from', 'to']) timeParameter(query, name);
};
