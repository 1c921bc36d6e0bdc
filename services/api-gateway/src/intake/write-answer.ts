import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IntakeAnswer } from './intake-answer';

/** Milliseconds for which an answer that came before the end of its request waits for that end. */
const LINGER_MS = 2_000;

/** Browsers ask again at the latest after this; Chromium's own limit. */
const PREFLIGHT_MAX_AGE_S = 7_200;

/** Writes an answer; no headers but these are known to be needed by the public SDKs. */
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
 * The client may still be sending: a connection that is closed on it would be reset, and the answer lost. So what
 * it sends is read and thrown away for a while.
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

/** Lets a browser of any origin send whatever headers it asks for, without credentials. */
export const writePreflight = (
  { headers }: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  methods: readonly string[],
): void => {
  const asked = headers['access-control-request-headers'];
  response.writeHead(204, {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': methods.join(', '),
    ...(asked !== undefined && { 'Access-Control-Allow-Headers': asked }),
    'Access-Control-Max-Age': PREFLIGHT_MAX_AGE_S,
    Vary: 'Access-Control-Request-Headers',
    'Request-Id': requestId,
  });
  response.end();
};
