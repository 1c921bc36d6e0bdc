import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IntakeAnswer } from './intake-answer';

/** Milliseconds that an early answer waits for the end of its request. */
const LINGER_MS = 2_000;

/** Validity of a preflight answer; Chromium's maximum. */
const PREFLIGHT_MAX_AGE_S = 7_200;

/** Writes an answer. The public SDKs are not known to need any other headers. */
export const writeAnswer = (
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  { status, body, headers }: IntakeAnswer,
): void => {
  const isEarly = !request.complete;
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Access-Control-Allow-Origin': '*',
    'Request-Id': requestId,
    ...(isEarly && { Connection: 'close' }),
    ...headers,
  });
  const text = request.method === 'HEAD' ? '' : body;
  if (isEarly) endLater(request, response, text);
  else response.end(text);
};

/**
 * Answers before the request is complete. Closing the connection while the client sends would reset it and lose the
 * answer, so the rest of the request is read and discarded for a while.
 */
const endLater = (request: IncomingMessage, response: ServerResponse, text: string): void => {
  response.write(text);
  const timer = setTimeout(() => response.end(), LINGER_MS);
  request.once('close', () => clearTimeout(timer));
  request.once('end', () => {
    clearTimeout(timer);
    response.end();
  });
  request.resume();
};

/** Answers a preflight request: any origin may send the headers that it requests, without credentials. */
export const writePreflight = (
  { headers }: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  methods: readonly string[],
): void => {
  const requestedHeaders = headers['access-control-request-headers'];
  response.writeHead(204, {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': methods.join(', '),
    ...(requestedHeaders !== undefined && { 'Access-Control-Allow-Headers': requestedHeaders }),
    'Access-Control-Max-Age': PREFLIGHT_MAX_AGE_S,
    Vary: 'Access-Control-Request-Headers',
    'Request-Id': requestId,
  });
  response.end();
};
