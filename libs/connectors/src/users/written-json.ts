import { type Json, type JsonObject, type Schema, valueToJson } from '@penstock/schema';
import type { OutgoingUser } from '../connector/user-destination';

/**
 * What is written of a user, by property, in the order of the schema.
 *
 * @param schema of what is written.
 * @returns nulls too: they take a value away.
 */
export const writtenJson = ({ properties }: Schema, { values }: OutgoingUser): JsonObject =>
  new Map(
    properties.flatMap(({ name, type }): [string, Json][] => {
      const value = values[name];
      if (value === undefined) return [];
      return [[name, value === null ? null : valueToJson(type, value)]];
    }),
  );

/** The same without nulls: a user that is created has nothing to be taken away. */
export const withoutNulls = (json: JsonObject): JsonObject =>
  new Map([...json].filter(([, member]) => member !== null));
