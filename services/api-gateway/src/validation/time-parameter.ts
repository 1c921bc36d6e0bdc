import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Instant } from '@penstock/contracts';
import { requestOf } from '../auth/caller';
import { malformed } from '../http/read-json';
import { instantIn } from '../http/rfc-3339';
import { parameter, type QueryParameters } from './page';

/**
 * Reads a time from a query.
 *
 * @throws Refusal BadRequest unless it is an RFC 3339 time. Digits below the millisecond are cut off.
 */
export const timeParameter = (query: QueryParameters, name: string): Instant | undefined => {
  const given = parameter(query, name);
  if (given === undefined) return undefined;
  const time = instantIn(given);
  if (time === undefined)
    throw malformed(`/${name}`, 'must be an RFC 3339 time, such as 2026-03-01T09:30:00Z');
  return time;
};

/** Injects the time of the parameter `at`; undefined for the newest state. @throws Refusal BadRequest */
export const AsOfTime = createParamDecorator(
  (_: undefined, context: ExecutionContext): Instant | undefined =>
    timeParameter(requestOf(context).query, 'at'),
);
