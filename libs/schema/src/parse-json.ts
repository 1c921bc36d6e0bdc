import { type Json, JsonNumber, type JsonObject } from './json';
import { JsonReader, MAX_JSON_DEPTH, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './json-reader';

/** What a JSON text may have at most. */
export interface JsonLimits {
  /** How deep arrays and objects may nest; a scalar has depth 0, `[]` depth 1. Default and most: 1,000. */
  readonly maxDepth?: number;
}

/**
 * Reads a JSON text (RFC 8259) without loss and refuses a repeated member name.
 *
 * @throws JsonSyntaxError
 */
export const parseJson = (text: string, { maxDepth = MAX_JSON_DEPTH }: JsonLimits = {}): Json => {
  const reader = new JsonReader(text, Math.min(maxDepth, MAX_JSON_DEPTH));
  const json = readJson(reader);
  reader.end();
  return json;
};

/** The value that stands next, as a tree. */
const readJson = (reader: JsonReader): Json => {
  switch (reader.peek()) {
    case QUOTE:
      return reader.string();
    case OPEN_BRACE:
      return readObject(reader);
    case OPEN_BRACKET:
      return readArray(reader);
    default:
      return readScalar(reader);
  }
};

const readScalar = (reader: JsonReader): Json => {
  if (reader.literal('true')) return true;
  if (reader.literal('false')) return false;
  if (reader.literal('null')) return null;
  return new JsonNumber(reader.number());
};

const readArray = (reader: JsonReader): Json => {
  const elements: Json[] = [];
  for (let more = reader.openArray(); more; more = reader.nextElement())
    elements.push(readJson(reader));
  return elements;
};

const readObject = (reader: JsonReader): JsonObject => {
  const members = new Map<string, Json>();
  for (let more = reader.openObject(); more; more = reader.nextMember()) {
    const name = reader.memberName();
    if (members.has(name)) reader.fail('a member name is repeated');
    members.set(name, readJson(reader));
  }
  return members;
};
