import { isJsonObject, type Json, type JsonObject, valueToJson } from '@penstock/schema';
import { EventRefused, type OutgoingEvent } from '../connector/event-destination';

/** What the transformation gave, by property; empty without a transformation. A null counts as absent. */
export const valuesJson = ({ values, outSchema }: OutgoingEvent): JsonObject => {
  const members = new Map<string, Json>();
  if (values === null || outSchema === null) return members;
  for (const { name, type } of outSchema.properties) {
    const value = values[name];
    const json = value === undefined || value === null ? null : valueToJson(type, value);
    if (json !== null) members.set(name, json);
  }
  return members;
};

/**
 * A value of kind json that has to be an object, as most vendors take properties.
 *
 * @returns undefined when it is absent.
 * @throws EventRefused when it is anything else.
 */
export const objectIn = (values: JsonObject, name: string): JsonObject | undefined => {
  const json = values.get(name);
  if (json === undefined || isJsonObject(json)) return json;
  throw new EventRefused(`${name} must be a JSON object`);
};
