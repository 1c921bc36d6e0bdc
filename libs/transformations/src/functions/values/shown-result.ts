import {
  canonicalDecimal,
  isJsonArray,
  isJsonObject,
  type Json,
  JsonNumber,
  JsonSyntaxError,
  parseJson,
  writeJson,
} from '@penstock/schema';
import { MARK, taggedOf, TAGS } from './tagged';

const INTEGER = /^-?\d+$/;

const shownText = (given: string): Json => {
  const { tag, text } = taggedOf(given) ?? { tag: undefined, text: given };
  if (tag === TAGS.integer && INTEGER.test(text)) return new JsonNumber(text);
  const decimal = tag === TAGS.decimal ? canonicalDecimal(text) : undefined;
  return decimal === undefined ? text : new JsonNumber(decimal);
};

const shown = (json: Json): Json => {
  if (typeof json === 'string') return shownText(json);
  if (isJsonArray(json)) {
    const [mark, members] = json;
    return mark === MARK + TAGS.map && isJsonObject(members) ? shown(members) : json.map(shown);
  }
  if (!isJsonObject(json)) return json;
  return new Map([...json].map(([name, value]) => [name, shown(value)]));
};

/**
 * Writes a function's result for a record as JSON text for people: values that JSON does not have become texts.
 *
 * @param text untrusted: the guest's result.
 * @returns undefined when it is not JSON.
 */
export const shownResult = (text: string): string | undefined => {
  try {
    return writeJson(shown(parseJson(text)));
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
};
