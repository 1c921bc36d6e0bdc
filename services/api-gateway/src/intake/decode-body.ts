import { isUtf8 } from 'node:buffer';
import { createGunzip } from 'node:zlib';
import { ByteCollector } from '../http/byte-collector';
import type { Holding } from '../http/holding';
import { HttpRefusal } from '../http/http-refusal';
import { MalformedBody } from './event/malformed-body';

type Encoding = 'identity' | 'gzip';

const ENCODINGS: Readonly<Record<string, Encoding>> = {
  '': 'identity',
  identity: 'identity',
  gzip: 'gzip',
  'x-gzip': 'gzip',
};

/**
 * Reads `Content-Encoding`.
 *
 * @throws HttpRefusal UnsupportedMediaType
 */
export const encodingOf = (header: string | undefined): Encoding => {
  if (header === undefined) return 'identity';
  const encoding = ENCODINGS[header.trim().toLowerCase()];
  if (encoding !== undefined) return encoding;
  throw new HttpRefusal('UnsupportedMediaType', {
    because: 'Content-Encoding must be gzip or identity',
  });
};

/** Memory of a decompression besides input and output: zlib's state, a window and a buffer. Estimated. */
const GUNZIP_BYTES = 65_536;

/**
 * Decompresses a body. The holding is charged with the output as it grows, and released from the input at the end.
 *
 * @param body charged to the holding.
 * @throws HttpRefusal PayloadTooLarge; ServiceUnavailable when the share is used up.
 * @throws MalformedBody
 */
export const gunzip = async (body: Buffer, maxBytes: number, holding: Holding): Promise<Buffer> => {
  holding.add(GUNZIP_BYTES);
  const collector = new ByteCollector({ maxBytes, holding });
  await gunzipInto(collector, body);
  holding.drop(GUNZIP_BYTES + body.buffer.byteLength);
  return collector.whole();
};

const gunzipInto = (collector: ByteCollector, body: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    const stream = createGunzip();
    const refuse = (error: Error): void => {
      stream.destroy();
      reject(error);
    };
    stream.on('data', (piece: Buffer) => {
      try {
        collector.add(piece);
      } catch (error) {
        refuse(error as Error);
      }
    });
    stream.on('end', resolve);
    stream.on('error', () => {
      reject(new MalformedBody('the body is not whole gzip data'));
    });
    stream.end(body);
  });

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * Checks that a body is UTF-8 and removes a byte order mark.
 *
 * @throws MalformedBody
 */
export const checkUtf8 = (body: Buffer): Buffer => {
  if (!isUtf8(body)) throw new MalformedBody('the body is not UTF-8');
  return body[0] === BYTE_ORDER_MARK[0] && body.subarray(0, 3).equals(BYTE_ORDER_MARK)
    ? body.subarray(3)
    : body;
};
