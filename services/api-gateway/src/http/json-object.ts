import { type Json, JsonNumber, type JsonObject } from '@penstock/schema';

/** An object of an answer; members that are undefined are left out. */
export const jsonObject = (members: Readonly<Record<string, Json | undefined>>): JsonObject =>
  new Map(
    Object.entries(members).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );

export const jsonInteger = (value: number): JsonNumber => new JsonNumber(String(value));
