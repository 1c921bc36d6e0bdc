import { type Json, JsonNumber, type JsonObject } from '@penstock/schema';

/** Builds an object for an answer; members that are undefined are left out. */
export const jsonObject = <Name extends string>(
  members: Readonly<Record<Name, Json | undefined>>,
): JsonObject =>
  new Map(
    Object.entries<Json | undefined>(members).filter(
      (entry): entry is [string, Json] => entry[1] !== undefined,
    ),
  );

export const jsonInteger = (value: number): JsonNumber => new JsonNumber(String(value));
