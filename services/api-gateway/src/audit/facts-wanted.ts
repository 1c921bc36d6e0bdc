import type { FactsWanted, Instant, Page } from '@penstock/contracts';
import { cursorLike, FROM, LIMIT, only, TO } from '../openapi/schema/parameters';
import { pageOf, parameter, type QueryParameters } from '../validation/page';
import { timeParameter } from '../validation/time-parameter';

const TEXTS = ['object', 'type', 'actor', 'requestId'] as const;
const TIMES = ['from', 'to'] as const;

export const FACTS_QUERY = [
  ...TEXTS.map((name) => only(name)),
  FROM,
  TO,
  LIMIT,
  cursorLike('^[0-9]{0,15}$'),
];

/** Reads the parameters that are present. */
const given = <Name extends string, Value>(
  names: readonly Name[],
  read: (name: Name) => Value | undefined,
): Partial<Record<Name, Value>> =>
  Object.fromEntries(
    names.map((name) => [name, read(name)]).filter(([, value]) => value !== undefined),
  ) as Partial<Record<Name, Value>>;

/** Reads the conditions of a request to the audit. @throws Refusal BadRequest */
export const factsWanted = (query: QueryParameters): Page & Omit<FactsWanted, 'ofOrganization'> => {
  return {
    ...pageOf(query),
    ...given<(typeof TEXTS)[number], string>(TEXTS, (name) => parameter(query, name)),
    ...given<(typeof TIMES)[number], Instant>(TIMES, (name) => timeParameter(query, name)),
  };
};
