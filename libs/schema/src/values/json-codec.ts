import { isJsonArray, isJsonObject, type Json } from '../json';
import { type JsonReader, UNCLEAN } from '../json-reader';
import { JsonText } from '../json-text';
import { parseJson } from '../parse-json';
import { skipJson } from '../skip-json';
import type { Value } from '../value';
import { writeJson } from '../write-json';
import type { Codec } from './codec';
import { Fault } from './fault';

const CLEAN = 'must not hold NUL or half of a surrogate pair';

/** Any JSON. From a text it is kept as the slice that it was, unless that is not how it would be written. */
export const jsonCodec: Codec = {
  read(reader: JsonReader) {
    reader.peek();
    reader.forget();
    const start = reader.offset;
    skipJson(reader);
    if (reader.unclean) return Fault.of(CLEAN);
    const text = reader.textFrom(start);
    const asWritten = !reader.spaced && !reader.respelled;
    return JsonText.trusted(asWritten ? text : writeJson(parseJson(text)));
  },
  decode: (json: Json) => (isClean(json) ? JsonText.of(json) : Fault.of(CLEAN)),
  check(value: Value) {
    if (!(value instanceof JsonText)) return Fault.of('must be JSON');
    const suspect = value.text.includes('\\u') || UNCLEAN.test(value.text);
    return suspect && !isClean(value.value) ? Fault.of(CLEAN) : undefined;
  },
  encode: (value: Value) => (value as JsonText).text,
  text: (value: Value) => (value as JsonText).text,
  toJson: (value: Value) => (value as JsonText).value,
};

const isClean = (json: Json): boolean => {
  if (typeof json === 'string') return !UNCLEAN.test(json);
  if (isJsonArray(json)) return json.every(isClean);
  if (!isJsonObject(json)) return true;
  for (const [name, value] of json) if (UNCLEAN.test(name) || !isClean(value)) return false;
  return true;
};
