import { type Json, type JsonObject, writeJson } from '@penstock/schema';

/** An answer that exists as JSON text already and is sent unparsed. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** Returns the text of what a handler returns: compact JSON, with every digit of numbers. */
export const jsonTextOf = (answer: Json | JsonText): JsonText =>
  answer instanceof JsonText ? answer : new JsonText(writeJson(answer));

/** Writes an object for an answer. @param members JSON texts by names that need no escapes. */
export const objectText = <Name extends string>(
  members: Readonly<Record<Name, string>>,
): string => {
  let text = '';
  for (const name in members) text += `${text && ','}"${name}":${members[name]}`;
  return `{${text}}`;
};

/** Writes an optional member of a body as JSON text; `null` when it is absent or `null`. */
export const textOrNull = (json: JsonObject | null | undefined): string | null =>
  json === null || json === undefined ? null : writeJson(json);
