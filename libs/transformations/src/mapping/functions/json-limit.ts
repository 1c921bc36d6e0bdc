import type { JsonText } from '@penstock/schema';
import { Fault } from '../expression/fault';

/** Room for several copies of the largest event; without a limit, every level of nesting could multiply it. */
export const MAX_JSON_CHARACTERS = 16_777_216;

/**
 * Returns a function that passes on the parts of one JSON value.
 *
 * @throws Fault as soon as they exceed the limit together.
 */
export const jsonBudget = (): ((part: JsonText) => JsonText) => {
  let left = MAX_JSON_CHARACTERS;
  return (part) => {
    left -= part.text.length;
    if (left < 0) throw new Fault('the JSON is longer than 16 MiB');
    return part;
  };
};
