import { types } from 'node:util';
import {
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  TransactionNotStartedError,
} from 'typeorm';

/**
 * SQLSTATE that say "not now", whatever was asked: connection, resources, operator intervention, a standby that takes no
 * writes, time-outs for locks and transactions, deadlocks.
 * Source: PostgreSQL, appendix A.
 */
const NOT_NOW = /^(08|53|57P|25006|25P03|40001|40P01|55P03)/;

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

/** What pg says without a code. */
const LOST =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed)/;

/** What TypeORM says when the session of a transaction was lost between two of its statements. */
const LOST_MEANWHILE = [
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  TransactionNotStartedError,
];

/** Whether the database is away or going away, so that the same statement may succeed later. */
export const isDatabaseAway = (error: unknown): boolean => {
  if (LOST_MEANWHILE.some((kind) => error instanceof kind)) return true;
  if (error instanceof QueryFailedError) return isDatabaseAway(error.driverError);
  // Not instanceof: a socket's error is of Node's own realm, which under a test runner is another.
  if (!types.isNativeError(error)) return false;
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string') return LOST.test(message);
  // The socket of a server on this machine is gone while the server is.
  const isSocketGone = code === 'ENOENT' && syscall === 'connect';
  return NOT_NOW.test(code) || UNREACHABLE.has(code) || isSocketGone;
};
