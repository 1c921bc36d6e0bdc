import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const SANE = /^[A-Za-z0-9._-]{1,100}$/;

/** Tells processes apart; the number behind it tells their requests apart. */
const processId = randomBytes(6).toString('hex');
let requests = 0;

/** For a request that has brought none. */
export const newRequestId = (): string => {
  requests += 1;
  return `${processId}-${requests.toString(36)}`;
};

/** The id that the caller gave if it can be logged as it is, else a new one. */
export const requestIdOf = ({ headers }: IncomingMessage): string => {
  const given = headers['request-id'];
  return typeof given === 'string' && SANE.test(given) ? given : newRequestId();
};
