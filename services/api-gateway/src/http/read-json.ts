import { isUtf8 } from 'node:buffer';
import { Refusal } from '@penstock/contracts';
import { type Json, JsonSyntaxError, parseJson } from '@penstock/schema';

/** Types nest 32 deep, each in two levels of JSON, below a few levels of the request. */
const MAX_DEPTH = 128;

/**
 * Parses the JSON of a body, without loss.
 *
 * @returns undefined for an empty body.
 * @throws Refusal BadRequest
 */
export const readJson = (body: Buffer): Json | undefined => {
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw malformed('', 'the body is not UTF-8');
  try {
    return parseJson(body.toString('utf8'), { maxDepth: MAX_DEPTH });
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw malformed(error.path, error.message);
    throw error;
  }
};

export const malformed = (path: string, message: string): Refusal =>
  new Refusal('BadRequest', { details: [{ path, message }] });
