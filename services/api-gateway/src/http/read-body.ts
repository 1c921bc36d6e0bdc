import type { IncomingMessage } from 'node:http';
import { ByteCollector, tooLarge } from './byte-collector';
import type { Holding } from './holding';
import { unavailable } from './http-refusal';

/** The client went away before its request was whole: nobody is left to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** What a body may take. */
export interface BodyBounds {
  readonly maxBytes: number;
  /** Milliseconds until the whole of it must have come. */
  readonly timeoutMs: number;
  /** Is charged with every byte as it comes. */
  readonly holding: Holding;
}

/**
 * Refuses a body for the length that its head declares. Nothing need have been read.
 *
 * @throws HttpRefusal PayloadTooLarge
 */
export const checkDeclaredLength = (
  { 'content-length': length }: IncomingMessage['headers'],
  maxBytes: number,
): void => {
  if (Number(length) > maxBytes) throw tooLarge(maxBytes);
};

/**
 * The bytes of a request's body as they were sent. What a refused body still brings is thrown away.
 *
 * @throws HttpRefusal PayloadTooLarge as soon as it is known; ServiceUnavailable when there is no room for it, or it
 * does not come in time.
 * @throws ClientGone
 */
export const readBody = (
  request: IncomingMessage,
  { maxBytes, timeoutMs, holding }: BodyBounds,
): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    checkDeclaredLength(request.headers, maxBytes);
    if (request.destroyed) throw new ClientGone('request broken off');
    const expectedBytes = declaredLength(request);
    const collector = new ByteCollector({ maxBytes, expectedBytes, holding });
    const refuse = (error: Error): void => {
      settle();
      request.resume();
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      try {
        collector.add(chunk);
      } catch (error) {
        refuse(error as Error);
      }
    };
    const onEnd = (): void => {
      settle();
      resolve(collector.whole());
    };
    const onGone = (cause?: Error): void => {
      settle();
      reject(new ClientGone('request broken off', { cause }));
    };
    const timer = setTimeout(() => {
      refuse(unavailable('the request body did not come in time'));
    }, timeoutMs);
    const settle = (): void => {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
    };
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });

/** One read of a socket: so much may have come of a body before anybody asks for it. */
const READ_AHEAD_BYTES = 65_536;

/** The bytes that a request may hold of its body while nobody reads it. */
export const readAheadBytes = (request: IncomingMessage): number => {
  if (request.headers['transfer-encoding'] !== undefined) return READ_AHEAD_BYTES;
  return Math.min(READ_AHEAD_BYTES, declaredLength(request) ?? 0);
};

const declaredLength = ({ headers }: IncomingMessage): number | undefined => {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
};
