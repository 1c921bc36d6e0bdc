import type { Json, JsonObject } from '@penstock/schema';

/** An object of the members that are there. */
export const jsonMembers = (members: Readonly<Record<string, Json | undefined>>): JsonObject =>
  new Map(
    Object.entries(members).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );
