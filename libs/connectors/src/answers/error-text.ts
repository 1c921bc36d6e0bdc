import type { JsonObject } from '@penstock/schema';

/** What a vendor says in an answer that is an error, as it documents it; undefined: the answer is not as documented. */
export type ErrorText = (answer: JsonObject) => string | undefined;

/** Parts of an error as one text, the general ones first. @returns undefined when there are none */
export const joinedText = (...parts: readonly (string | undefined)[]): string | undefined => {
  const given = parts.filter((part) => part !== undefined && part.trim() !== '');
  const text = given.map((part) => part?.trim().replace(/[.:]$/, '')).join(': ');
  return text === '' ? undefined : text;
};
