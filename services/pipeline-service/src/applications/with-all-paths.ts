import { EVENT_SCHEMA, type JsonString } from '@penstock/contracts';
import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  parseJson,
  writeJson,
} from '@penstock/schema';

const EVENT_PATHS: Json = EVENT_SCHEMA.properties.map(({ name }) => name);

/** The names of the top-level properties of a schema that has not been checked yet. */
const namesIn = (outSchema: JsonString | null): Json => {
  const json = outSchema === null ? null : parseJson(outSchema);
  const properties = isJsonObject(json) ? json.get('properties') : undefined;
  if (!isJsonArray(properties)) return [];
  return properties.flatMap((property) =>
    isJsonObject(property) ? (property.get('name') ?? []) : [],
  );
};

/**
 * Completes a function without paths: its input is all top-level properties of the event, its output all properties of
 * the output schema.
 */
export const withAllPaths = (
  transformation: JsonString | null,
  outSchema: JsonString | null,
): JsonString | null => {
  const json = transformation === null ? null : parseJson(transformation);
  const given = isJsonObject(json) ? json.get('function') : undefined;
  if (!isJsonObject(json) || !isJsonObject(given)) return transformation;
  const completed: JsonObject = new Map([
    ['inPaths', EVENT_PATHS],
    ['outPaths', namesIn(outSchema)],
    ...given,
  ]);
  return writeJson(new Map([...json, ['function', completed]]));
};
