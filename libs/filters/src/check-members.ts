import { nearestName, pointer, type JsonObject } from '@penstock/schema';
import type { Report } from './scope';

/** Reports every member that an object should not have. */
export const checkMembers = (json: JsonObject, known: readonly string[], report: Report): void => {
  for (const name of json.keys()) {
    if (known.includes(name)) continue;
    const near = nearestName(name, known);
    const hint = near === undefined ? known.join(', ') : `did you mean "${near}"?`;
    report(pointer(name), `unknown property: ${hint}`);
  }
};
