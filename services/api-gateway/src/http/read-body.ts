import type { IncomingMessage } from 'node:http';
import { HttpRefusal } from './http-refusal';

/** The client went away before its request was whole: nobody is left to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

export const tooLarge = (maxBytes: number): HttpRefusal =>
  new HttpRefusal('PayloadTooLarge', { because: `the limit is ${String(maxBytes)} bytes` });

/**
 * The bytes of a request's body as they were sent.
 *
 * @throws HttpRefusal PayloadTooLarge, as soon as it is known; the rest of the body is then not kept.
 * @throws ClientGone
 */
export const readBody = (request: IncomingMessage, maxBytes: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    if (Number(request.headers['content-length']) > maxBytes) return reject(tooLarge(maxBytes));
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxBytes) chunks.push(chunk);
      else {
        chunks.length = 0;
        reject(tooLarge(maxBytes));
      }
    });
    request.on('end', () => {
      const [first] = chunks;
      resolve(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks));
    });
    request.on('error', (cause) => reject(new ClientGone('request broken off', { cause })));
  });
