import { types } from 'node:util';
import { DatabaseError } from 'pg';
import { connectionFault } from '../database/connection-fault';
import { DatabaseFault, type DatabaseFaultKind } from '../database/database-fault';
import { told } from '../database/told';

/** Message of pg, without a code, when the server accepts no encrypted connections. */
const NO_TLS = 'The server does not support SSL connections';
/** Its message when the handshake fails, as it does without a password. */
const HANDSHAKE = /^SASL/;

/** SQLSTATE of a server that is away, starting, ending, full, or busy with others. Source: PostgreSQL, appendix A. */
const NOT_NOW = /^(08|40|53|55P03|57P)/;
/** SQLSTATE query_canceled. */
const CANCELLED = '57014';

const LATE = 'there was no answer in time';

/** SQLSTATE of a write that a server does not do now: its time was over, or the server has become one that is only read. */
const NO_WRITE_NOW = new Set([CANCELLED, '25006']);

/** SQLSTATE of a write that no row is to blame for: there is no right to it, no table, no column, or no key any more. */
const NO_WRITE = new Set(['42501', '42P01', '42703', '42P10']);

/** Where the server checks the policies of a table, which let some rows in and others not. */
const POLICIES = 'ExecWithCheckOptions';

/**
 * What a refused write means when no row is to blame for it.
 *
 * @returns undefined when the row is refused.
 */
export const writeFaultOf = (
  { code = '', routine, message }: DatabaseError,
  password: string,
): DatabaseFault | undefined => {
  if (NO_WRITE_NOW.has(code) || NOT_NOW.test(code))
    return new DatabaseFault('Unreachable', told(message, password));
  if (NO_WRITE.has(code) && routine !== POLICIES)
    return new DatabaseFault('Refused', told(message, password));
  return undefined;
};

/** Whether the server accepts no encrypted connections. */
export const saysNoTls = (error: unknown): boolean =>
  types.isNativeError(error) && error.message === NO_TLS;

const faultOfConnection = (error: Error): DatabaseFault => {
  if (saysNoTls(error))
    return new DatabaseFault('Refused', 'server does not take encrypted connections');
  if (HANDSHAKE.test(error.message))
    return new DatabaseFault('Refused', 'authentication has failed: is the password missing?');
  return connectionFault(error);
};

/**
 * Why something with a PostgreSQL has failed: the server's own words, else words for what became of the connection.
 *
 * @param refused what it means when the server refuses; default: `Refused`.
 * @throws the error itself when it is a bug.
 */
export const postgresqlFaultOf = (
  error: unknown,
  password: string,
  signal: AbortSignal,
  refused: DatabaseFaultKind = 'Refused',
): DatabaseFault => {
  if (error instanceof DatabaseFault) return error;
  if (error instanceof DatabaseError) {
    const { code = '', message } = error;
    if (signal.aborted && code === CANCELLED) return new DatabaseFault('Unreachable', LATE);
    return new DatabaseFault(NOT_NOW.test(code) ? 'Unreachable' : refused, told(message, password));
  }
  if (signal.aborted) return new DatabaseFault('Unreachable', LATE);
  if (!types.isNativeError(error) || error instanceof TypeError) throw error;
  return faultOfConnection(error);
};
