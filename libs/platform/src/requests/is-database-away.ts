import { types } from 'node:util';

/**
 * SQLSTATE of temporary failures of any statement: connection, resources, operator intervention, a standby that accepts no
 * writes, time-outs for locks and transactions, deadlocks.
 * Source: PostgreSQL, appendix A.
 */
const TEMPORARY = /^(08|53|57P|25006|25P03|40001|40P01|55P03)/;

/** Codes of Node for a server that cannot be reached. */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** Messages of pg for errors without a code. */
const LOST =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed)/;

/** Whether an error of the driver means that the database is unavailable, so that the same statement may succeed later. */
export const isDatabaseAway = (error: unknown): boolean => {
  // Not instanceof: a socket's error is of Node's own realm, which under a test runner is another.
  if (!types.isNativeError(error)) return false;
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string') return LOST.test(message);
  // The socket file of a local server is missing while the server does not run.
  const isSocketGone = code === 'ENOENT' && syscall === 'connect';
  return TEMPORARY.test(code) || UNREACHABLE.has(code) || isSocketGone;
};
