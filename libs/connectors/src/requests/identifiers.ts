import type { JsonObject } from '@penstock/schema';
import { EventRefused } from '../connector/event-destination';
import { jsonMembers } from './json-members';
import { objectIn } from './values-json';

/**
 * The identifiers that are there, by their names; an empty text is none.
 *
 * @param name of the object in which they stand.
 * @throws EventRefused when there is none: a schema cannot express that one is needed.
 */
export const identifiersIn = (
  values: JsonObject,
  name: string,
  identifiers: readonly string[],
): JsonObject => {
  const given = objectIn(values, name);
  const found = jsonMembers(
    Object.fromEntries(identifiers.map((each) => [each, given?.get(each) || undefined])),
  );
  if (found.size > 0) return found;
  throw new EventRefused(`one of ${identifiers.join(', ')} is needed in ${name}`);
};
