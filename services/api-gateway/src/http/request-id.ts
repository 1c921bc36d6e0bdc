import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const SANE = /^[A-Za-z0-9._-]{1,100}$/;

/** Identifies this process; the number after it identifies the request. */
const processId = randomBytes(6).toString('hex');
let requests = 0;

/** Generates an id for a request without a `Request-Id`. */
export const newRequestId = (): string => {
  requests += 1;
  return `${processId}-${requests.toString(36)}`;
};

/** Returns the caller's `Request-Id` if it is safe to log, else a new id. */
export const requestIdOf = ({ headers }: IncomingMessage): string => {
  const given = headers['request-id'];
  return typeof given === 'string' && SANE.test(given) ? given : newRequestId();
};
