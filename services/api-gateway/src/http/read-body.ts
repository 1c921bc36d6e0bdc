import type { IncomingMessage } from 'node:http';
import { ByteCollector, tooLarge } from './byte-collector';
import type { Holding } from './holding';
import { unavailable } from './http-refusal';

/** The client disconnected before its request was complete: there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** Limits for a body. */
export interface BodyBounds {
  readonly maxBytes: number;
  /** Time limit in milliseconds for the complete body. */
  readonly timeoutMs: number;
  /** Is charged with every byte as it arrives. */
  readonly holding: Holding;
}

/**
 * Refuses a body by its declared length, before it is read.
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
 * Reads the bytes of a request's body. The remainder of a refused body is read and discarded.
 *
 * @throws HttpRefusal PayloadTooLarge as soon as it is known; ServiceUnavailable when the share is used up or the body
 *   does not arrive in time.
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

/** Size of one read of a socket: up to this much of a body may be buffered before it is read. */
const READ_AHEAD_BYTES = 65_536;

/** Estimates the bytes of its body that a request holds while nobody reads it. */
export const readAheadBytes = (request: IncomingMessage): number => {
  if (request.headers['transfer-encoding'] !== undefined) return READ_AHEAD_BYTES;
  return Math.min(READ_AHEAD_BYTES, declaredLength(request) ?? 0);
};

const declaredLength = ({ headers }: IncomingMessage): number | undefined => {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
};
