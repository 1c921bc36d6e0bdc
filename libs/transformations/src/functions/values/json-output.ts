import {
  canonicalDateTime,
  canonicalDecimal,
  isJsonArray,
  isJsonObject,
  type Json,
  JsonNumber,
  JsonSyntaxError,
  JsonText,
  parseJson,
} from '@penstock/schema';
import { OutputMismatch, within } from './output-mismatch';
import { MARK, taggedOf, TAGS } from './tagged';

/** Converts a value that the guest built into kind json. */
export const readJson = (json: Json): JsonText => JsonText.of(plainJson(json));

const plainJson = (json: Json): Json => {
  if (typeof json === 'string') return json.startsWith(MARK) ? untagged(json) : json;
  if (isJsonArray(json))
    return json.map((element, index) => within(`[${index}]`, () => plainJson(element)));
  if (!isJsonObject(json)) return json;
  const members = new Map<string, Json>();
  for (const [name, value] of json)
    members.set(
      name,
      within(`[${JSON.stringify(name)}]`, () => plainJson(value)),
    );
  return members;
};

/** NaN and infinities, and the kinds of foreign values, are shown; texts of dates or addresses may be of persons. */
const shownOf = (tag: string, text: string): string =>
  tag === TAGS.foreign || tag === TAGS.float ? text : 'the value';

const untagged = (json: string): Json => {
  const { tag = TAGS.foreign, text = 'value' } = taggedOf(json) ?? {};
  const read = {
    [TAGS.text]: () => text,
    [TAGS.integer]: () => new JsonNumber(text),
    [TAGS.decimal]: () => {
      const canonical = canonicalDecimal(text);
      return canonical === undefined ? undefined : new JsonNumber(canonical);
    },
    [TAGS.moment]: () => canonicalDateTime(text),
  } as const;
  const value = tag in read ? read[tag as keyof typeof read]() : undefined;
  if (value === undefined) throw new OutputMismatch('', `${shownOf(tag, text)} has no JSON`);
  return value;
};

/** Reads JSON that the guest returns as text, with members and digits kept. */
export const readJsonText = (json: Json): JsonText => {
  const tagged = typeof json === 'string' ? taggedOf(json) : undefined;
  if (typeof json !== 'string' || (tagged && tagged.tag !== TAGS.text))
    throw new OutputMismatch('', 'must be a string that is JSON');
  try {
    return JsonText.of(parseJson(tagged?.text ?? json));
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new OutputMismatch('', `must be a string that is JSON: ${error.message}`);
  }
};
