import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { gunzip as gunzipWithCallback } from 'node:zlib';
import { HttpRefusal } from '../http/http-refusal';
import { MalformedBody } from './event/malformed-body';
import { tooLarge } from '../http/read-body';

const gunzip = promisify(gunzipWithCallback);

/**
 * Undoes `Content-Encoding`.
 *
 * @throws HttpRefusal PayloadTooLarge, UnsupportedMediaType
 * @throws MalformedBody
 */
export const decompress = (
  body: Buffer,
  encoding: string | undefined,
  maxBytes: number,
): Buffer | Promise<Buffer> => {
  if (encoding === undefined || encoding === 'identity' || encoding === '') return body;
  const name = encoding.trim().toLowerCase();
  if (name === 'gzip' || name === 'x-gzip') return gunzipWithin(body, maxBytes);
  if (name === 'identity') return body;
  throw new HttpRefusal('UnsupportedMediaType', {
    because: 'Content-Encoding must be gzip or identity',
  });
};

const gunzipWithin = async (body: Buffer, maxBytes: number): Promise<Buffer> => {
  try {
    return await gunzip(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
    throw new MalformedBody('the body is not whole gzip data');
  }
};

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** @throws MalformedBody on bytes that are not UTF-8. */
export const checkUtf8 = (body: Buffer): Buffer => {
  if (!isUtf8(body)) throw new MalformedBody('the body is not UTF-8');
  return body[0] === BYTE_ORDER_MARK[0] && body.subarray(0, 3).equals(BYTE_ORDER_MARK)
    ? body.subarray(3)
    : body;
};
