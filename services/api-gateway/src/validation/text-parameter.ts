import { codePointLength } from '@penstock/schema';
import { malformed } from '../http/read-json';
import type { JsonSchema } from '../openapi/schema/json-schema';
import { parameter, type QueryParameters } from './page';

/** Upper bound for the length of ids and codes. */
const MAX_TEXT = 100;

export const SHORT_TEXT: JsonSchema = {
  type: 'string',
  maxLength: MAX_TEXT,
  pattern: '^[^\\u0000]*$',
};

/** Reads a text from a query. @throws Refusal BadRequest when it is longer than `max` characters, or has a NUL. */
export const textParameter = (
  query: QueryParameters,
  name: string,
  max = MAX_TEXT,
): string | undefined => {
  const text = parameter(query, name);
  if (text !== undefined && (codePointLength(text) > max || text.includes('\0')))
    throw malformed(`/${name}`, `must be at most ${max} characters, without NUL`);
  return text;
};
