import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Refusal } from '@penstock/contracts';
import { type Json, JsonSyntaxError, parseJson } from '@penstock/schema';
import { HttpRefusal } from './http-refusal';
import { checkCharset } from './charset';
import { readBody } from './read-body';

/** Source: the API's rulings; intake has a limit of its own. */
const MAX_BODY_BYTES = 512_000;
/** Types nest 32 deep, each in two levels of JSON, below a few levels of the request. */
const MAX_DEPTH = 128;

/**
 * The body of a request to the API, without loss.
 *
 * @returns undefined where there is none.
 * @throws HttpRefusal PayloadTooLarge, UnsupportedMediaType
 * @throws Refusal BadRequest
 */
export const readJson = async (request: IncomingMessage): Promise<Json | undefined> => {
  const body = await readBody(request, MAX_BODY_BYTES);
  if (body.length === 0) return undefined;
  checkContentType(request);
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

const checkContentType = ({ headers }: IncomingMessage): void => {
  const mediaType = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  const because =
    mediaType === 'application/json' ? undefined : 'Content-Type must be application/json';
  if (because !== undefined) throw new HttpRefusal('UnsupportedMediaType', { because });
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity')
    throw new HttpRefusal('UnsupportedMediaType', {
      because: 'Content-Encoding is not taken here',
    });
  checkCharset(headers);
};
