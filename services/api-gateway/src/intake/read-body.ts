import type { IncomingMessage } from 'node:http';
import { HttpRefusal } from '../http/http-refusal';

/** The client went away before its request was whole: nobody is left to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/**
 * The bytes of a request's body as they were sent.
 *
 * @throws HttpRefusal PayloadTooLarge, as soon as it is known; the rest of the body is then not read.
 * @throws ClientGone
 */
export const readBody = (request: IncomingMessage, maxBytes: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const announced = Number(request.headers['content-length']);
    if (announced > maxBytes) return reject(tooLarge(maxBytes));
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxBytes) chunks.push(chunk);
      else {
        chunks.length = 0;
        request.removeAllListeners('data');
        reject(tooLarge(maxBytes));
      }
    });
    request.on('end', () => {
      const [first] = chunks;
      resolve(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks));
    });
    request.on('error', () => reject(new ClientGone('request error')));
    request.on('close', () => {
      if (!request.complete) reject(new ClientGone('request aborted'));
    });
  });

export const tooLarge = (maxBytes: number): HttpRefusal =>
  new HttpRefusal('PayloadTooLarge', { because: `the limit is ${String(maxBytes)} bytes` });
