import { types } from 'node:util';
import { connectionFault } from '../database/connection-fault';
import { DatabaseFault, type DatabaseFaultKind } from '../database/database-fault';
import { told } from '../database/told';

/** Codes of a server that is full, ending, slow, or was told to end the statement. Source: ClickHouse, ErrorCodes.cpp. */
const NOT_NOW = new Set([
  159, // TIMEOUT_EXCEEDED
  201, // QUOTA_EXCEEDED
  202, // TOO_MANY_SIMULTANEOUS_QUERIES
  203, // NO_FREE_CONNECTION
  209, // SOCKET_TIMEOUT
  210, // NETWORK_ERROR
  225, // NO_ZOOKEEPER
  236, // ABORTED
  241, // MEMORY_LIMIT_EXCEEDED
  242, // TABLE_IS_READ_ONLY
  243, // NOT_ENOUGH_SPACE
  252, // TOO_MANY_PARTS
  285, // TOO_FEW_LIVE_REPLICAS
  286, // UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE
  319, // UNKNOWN_STATUS_OF_INSERT
  394, // QUERY_WAS_CANCELLED
  425, // SYSTEM_ERROR
  439, // CANNOT_SCHEDULE_TASK
  999, // KEEPER_EXCEPTION
]);

/** Codes of who may not log in, or has no such database. */
const NOT_LET_IN = new Set([
  81, // UNKNOWN_DATABASE
  192, // UNKNOWN_USER
  193, // WRONG_PASSWORD
  194, // REQUIRED_PASSWORD
  195, // IP_ADDRESS_NOT_ALLOWED
  516, // AUTHENTICATION_FAILED
]);

/** Codes of a write that no row is to blame for: there is no right to it, no table, or no column any more. */
const NO_WRITE = new Set([
  16, // NO_SUCH_COLUMN_IN_TABLE
  47, // UNKNOWN_IDENTIFIER
  60, // UNKNOWN_TABLE
  164, // READONLY
  291, // DATABASE_ACCESS_DENIED
  497, // ACCESS_DENIED
]);

/** How servers of all versions write what has gone wrong. */
const EXCEPTION = /Code: (\d+)[.,][^]*?DB::[A-Za-z]*Exception: ([^]*)/;
/** What stands behind the words for people. */
const BEHIND = / ?(?:, e\.what\(\) = |\(version |, Stack trace|Stack trace:)[^]*$/;

const LATE = 'there was no answer in time';

/** What a server of ClickHouse has answered instead of what it was asked for. */
export class ClickhouseError extends Error {
  override readonly name = 'ClickhouseError';

  /** @param code of ClickHouse; undefined: something else has answered. */
  constructor(
    readonly code: number | undefined,
    message: string,
  ) {
    super(message);
  }
}

/** Whether the server refuses a row that it was given, and would refuse it again. */
export const isRefusal = (error: unknown): error is ClickhouseError =>
  error instanceof ClickhouseError &&
  error.code !== undefined &&
  ![NOT_NOW, NOT_LET_IN, NO_WRITE].some((codes) => codes.has(error.code ?? 0));

/** The error in a text, whether it stands alone or behind rows; undefined: there is none. */
export const clickhouseErrorIn = (text: string): ClickhouseError | undefined => {
  const match = EXCEPTION.exec(text);
  if (match === null) return undefined;
  const [, code, message = ''] = match;
  return new ClickhouseError(Number(code), message.replace(BEHIND, '').trim());
};

const kindOf = (code: number | undefined, refused: DatabaseFaultKind): DatabaseFaultKind => {
  if (code === undefined || NOT_NOW.has(code)) return 'Unreachable';
  return NOT_LET_IN.has(code) ? 'Refused' : refused;
};

/**
 * Why something with a ClickHouse has failed: the server's own words, else words for what became of the connection.
 *
 * @param refused what it means when the server refuses; default: `Refused`.
 * @throws the error itself when it is a bug.
 */
export const clickhouseFaultOf = (
  error: unknown,
  password: string,
  signal: AbortSignal,
  refused: DatabaseFaultKind = 'Refused',
): DatabaseFault => {
  if (error instanceof DatabaseFault) return error;
  if (signal.aborted) return new DatabaseFault('Unreachable', LATE);
  if (error instanceof ClickhouseError)
    return new DatabaseFault(kindOf(error.code, refused), told(error.message, password));
  if (!types.isNativeError(error) || error instanceof TypeError) throw error;
  return connectionFault(error);
};
