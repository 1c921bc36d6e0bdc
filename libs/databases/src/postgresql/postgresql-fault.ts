import { unreachableReason } from '@penstock/egress';
import { types } from 'node:util';
import { DatabaseError } from 'pg';
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

/** Whether the server accepts no encrypted connections. */
export const saysNoTls = (error: unknown): boolean =>
  types.isNativeError(error) && error.message === NO_TLS;

const connectionFault = (error: Error): DatabaseFault => {
  if (saysNoTls(error))
    return new DatabaseFault('Refused', 'server does not take encrypted connections');
  if (HANDSHAKE.test(error.message))
    return new DatabaseFault('Refused', 'authentication has failed: is the password missing?');
  return new DatabaseFault('Unreachable', unreachableReason(error) ?? 'connection was lost');
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
  return connectionFault(error);
};
