import { codeOf } from '@penstock/egress';
import { types } from 'node:util';
import { connectionFault } from '../database/connection-fault';
import { DatabaseFault, type DatabaseFaultKind } from '../database/database-fault';
import { told } from '../database/told';

/** Code of the driver when the server accepts no encrypted connections. */
const NO_TLS = 'HANDSHAKE_NO_SSL_SUPPORT';

/** What a server says that is full, ending, slow, or busy with others. Source: MySQL, Server Error Message Reference. */
const NOT_NOW = new Set([
  1021, // ER_DISK_FULL
  1037, // ER_OUTOFMEMORY
  1040, // ER_CON_COUNT_ERROR
  1041, // ER_OUT_OF_RESOURCES
  1047, // ER_UNKNOWN_COM_ERROR, of a Galera that is not ready
  1053, // ER_SERVER_SHUTDOWN
  1114, // ER_RECORD_FILE_FULL
  1129, // ER_HOST_IS_BLOCKED
  1203, // ER_TOO_MANY_USER_CONNECTIONS
  1205, // ER_LOCK_WAIT_TIMEOUT
  1213, // ER_LOCK_DEADLOCK
  1226, // ER_USER_LIMIT_REACHED
  1290, // ER_OPTION_PREVENTS_STATEMENT: the server was made read-only
  1317, // ER_QUERY_INTERRUPTED
  1836, // ER_READ_ONLY_MODE
  1927, // ER_CONNECTION_KILLED of MariaDB
  1969, // ER_STATEMENT_TIMEOUT of MariaDB
  3024, // ER_QUERY_TIMEOUT
]);

/** What a server says of a write that no row is to blame for: there is no right to it, no table, or no column any more. */
const NO_WRITE = new Set([
  1044, // ER_DBACCESS_DENIED_ERROR
  1045, // ER_ACCESS_DENIED_ERROR
  1049, // ER_BAD_DB_ERROR
  1054, // ER_BAD_FIELD_ERROR
  1142, // ER_TABLEACCESS_DENIED_ERROR
  1143, // ER_COLUMNACCESS_DENIED_ERROR
  1146, // ER_NO_SUCH_TABLE
]);

const LATE = 'there was no answer in time';

/** An error that the server has answered with. */
interface ServerError extends Error {
  readonly errno: number;
  readonly sqlState: string;
  readonly sqlMessage: string;
}

const isOfServer = (error: Error): error is ServerError =>
  'errno' in error && typeof error.errno === 'number' && 'sqlMessage' in error;

/** Whether the server refuses the row that it was given, and would refuse it again. */
export const isRefusal = (error: unknown): error is ServerError =>
  types.isNativeError(error) &&
  isOfServer(error) &&
  !NOT_NOW.has(error.errno) &&
  !NO_WRITE.has(error.errno);

/** Whether the server accepts no encrypted connections. */
export const saysNoTls = (error: unknown): boolean =>
  types.isNativeError(error) && codeOf(error) === NO_TLS;

const faultOfConnection = (error: Error): DatabaseFault => {
  if (saysNoTls(error))
    return new DatabaseFault('Refused', 'server does not take encrypted connections');
  return connectionFault(error);
};

/**
 * Why something with a MySQL has failed: the server's own words, else words for what became of the connection.
 *
 * @param refused what it means when the server refuses; default: `Refused`.
 * @throws the error itself when it is a bug.
 */
export const mysqlFaultOf = (
  error: unknown,
  password: string,
  signal: AbortSignal,
  refused: DatabaseFaultKind = 'Refused',
): DatabaseFault => {
  if (error instanceof DatabaseFault) return error;
  if (signal.aborted) return new DatabaseFault('Unreachable', LATE);
  if (!types.isNativeError(error) || error instanceof TypeError) throw error;
  if (!isOfServer(error)) return faultOfConnection(error);
  const kind = NOT_NOW.has(error.errno) ? 'Unreachable' : refused;
  return new DatabaseFault(kind, told(error.sqlMessage, password));
};
