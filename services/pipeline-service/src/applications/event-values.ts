import { eventCodec } from '@penstock/contracts';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  parseJson,
  type RecordValue,
} from '@penstock/schema';

const picked = (json: Json, paths: readonly string[]): Json => {
  if (!isJsonObject(json) || paths.includes('')) return json;
  const members = new Map<string, Json>();
  for (const [name, value] of json) {
    const inside = paths.flatMap((path) => {
      const [first, ...rest] = path.split('.');
      return first === name ? [rest.join('.')] : [];
    });
    if (inside.length > 0) members.set(name, picked(value, inside));
  }
  return members;
};

/** The part of an event that lies on the paths, which is the input of a transformation. */
export const eventValues = (event: RecordValue, paths: readonly string[]): JsonObject => {
  const values = picked(parseJson(eventCodec.encode(event)), paths);
  if (!isJsonObject(values)) throw new TypeError('an event is no object');
  return values;
};
