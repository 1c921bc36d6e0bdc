import { isIdForm } from '@penstock/contracts';
import { onlyParameters, pageOf, parameter, type QueryParameters } from '../http/page';
import { malformed } from '../http/read-json';
import { timeParameter } from '../audit/time-parameter';

const STATUSES = ['Queued', 'Running', 'Succeeded', 'Failed', 'Cancelled'];

/** @throws Refusal BadRequest */
export const checkRunsQuery = (query: QueryParameters): void => {
  onlyParameters(query, 'pipeline', 'status', 'from', 'to', 'limit', 'cursor');
  const { cursor } = pageOf(query);
  if (cursor !== '' && !isIdForm(cursor))
    throw malformed('/cursor', 'must be a cursor that a list has answered');
  parameter(query, 'pipeline');
  const status = parameter(query, 'status');
  if (status !== undefined && !STATUSES.includes(status))
    throw malformed('/status', `must be ${STATUSES.join(' or ')}`);
  for (const name of ['from', 'to']) timeParameter(query, name);
};
