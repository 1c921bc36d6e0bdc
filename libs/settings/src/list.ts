import { isJsonArray } from '@penstock/schema';
import type { Form } from './form';

/** A list of values of one form. */
export const list = (element: Form, maxElements: number): Form => ({
  type: { kind: 'array', elementType: element.type, maxElements },
  secret: false,
  check: (json, path, issues) => {
    if (!isJsonArray(json)) {
      issues.push({ path, message: 'must be an array' });
      return json;
    }
    if (json.length > maxElements) {
      issues.push({ path, message: `must have at most ${String(maxElements)} elements` });
      return json;
    }
    return json.map((each, index) => element.check(each, `${path}/${String(index)}`, issues));
  },
  mapSecrets: (json, change) =>
    isJsonArray(json) ? json.map((each) => element.mapSecrets(each, change)) : json,
});
