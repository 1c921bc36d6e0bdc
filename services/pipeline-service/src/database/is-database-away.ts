import { types } from 'node:util';
import {
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  TransactionNotStartedError,
} from 'typeorm';

/**
 * SQLSTATE of temporary failures of any statement: connection, resources, operator intervention, a standby that accepts
 * no writes, time-outs for locks and transactions, deadlocks. Source: PostgreSQL, appendix A.
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

/** Errors of TypeORM when the session of a transaction is lost between two of its statements. */
const LOST_MEANWHILE = [
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  TransactionNotStartedError,
];

/** Whether the database is unavailable, so that the same statement may succeed later. */
export const isDatabaseAway = (error: unknown): boolean => {
  if (LOST_MEANWHILE.some((kind) => error instanceof kind)) return true;
  if (error instanceof QueryFailedError) return isDatabaseAway(error.driverError);
  // Not instanceof: a socket's error is of Node's own realm, which under a test runner is another.
  if (!types.isNativeError(error)) return false;
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string') return LOST.test(message);
  // The socket file of a local server is missing while the server does not run.
  const isSocketGone = code === 'ENOENT' && syscall === 'connect';
  return TEMPORARY.test(code) || UNREACHABLE.has(code) || isSocketGone;
};
