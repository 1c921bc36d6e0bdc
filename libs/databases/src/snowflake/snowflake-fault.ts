import { EgressRefused } from '@penstock/egress';
import { types } from 'node:util';
import { DatabaseFault, type DatabaseFaultKind } from '../database/database-fault';
import { told } from '../database/told';

/** What a server says that is slow, ending, or busy with others. Source: Snowflake, messages of its errors. */
const NOT_NOW = new Set([
  '000604', // SQL execution canceled
  '000625', // Statement has locked table in another transaction and this transaction was aborted
  '000630', // Statement reached its statement or warehouse timeout
  '000631',
  '390104', // Session no longer exists
  '390111', // Session no longer exists
  '390112', // Session expired
  '390114', // Authentication token has expired
]);

const LATE = 'there was no answer in time';
const STRANGE = 'the server has answered with what Snowflake does not answer';

/** Why an address is not reached that the operator does not allow. */
const NOT_ALLOWED = new EgressRefused().message;

/** An error that the server has answered with. */
interface ServerError extends Error {
  readonly code: string | number;
}

const isOfServer = (error: Error): error is ServerError =>
  error.name === 'OperationFailedError' && 'code' in error && error.code !== undefined;

const codeIn = ({ code }: ServerError): string => String(code).padStart(6, '0');

/** The code of what the server has refused, of six digits; undefined: it was something else. */
export const snowflakeCodeOf = (error: unknown): string | undefined =>
  types.isNativeError(error) && isOfServer(error) ? codeIn(error) : undefined;

/** Codes of what is wrong with a value; others are about statements, rights and sessions. Source: as above. */
const OF_VALUES = /^1\d{5}$/;

/** Whether the server refuses a row that it was given, and would refuse it again. */
export const isRefusal = (error: unknown): error is ServerError =>
  types.isNativeError(error) && isOfServer(error) && OF_VALUES.test(codeIn(error));

/** Statuses of what answers in the place of an account that there is not, or that is closed to where we are. */
const NO_ACCOUNT = new Set([403, 404]);
const CLOSED = 'there is no such account, or it lets nobody in from here';

/** The status that there was instead of an answer; undefined: there was none. */
const statusIn = (error: Error): number | undefined => {
  if (error.name !== 'RequestFailedError' || !('response' in error)) return undefined;
  return (error.response as { readonly status?: number } | null)?.status;
};

/** What is known when something has failed. */
interface Failing {
  readonly password: string;
  readonly signal: AbortSignal;
  /** Why the server could not be reached; undefined: it could. */
  readonly unreachable: string | undefined;
}

/**
 * Why something with a Snowflake has failed: the server's own words, else words for what became of the connection. The
 * driver's own words may hold parts of what was sent.
 *
 * @param refused what it means when the server refuses; default: `Refused`.
 */
export const snowflakeFaultOf = (
  error: unknown,
  { password, signal, unreachable }: Failing,
  refused: DatabaseFaultKind = 'Refused',
): DatabaseFault => {
  if (error instanceof DatabaseFault) return error;
  if (signal.aborted) return new DatabaseFault('Unreachable', LATE);
  if (!types.isNativeError(error)) return new DatabaseFault('Unreachable', STRANGE);
  if (NO_ACCOUNT.has(statusIn(error) ?? 0)) return new DatabaseFault('Refused', CLOSED);
  if (!isOfServer(error)) {
    const isAllowed = unreachable !== NOT_ALLOWED;
    return new DatabaseFault(isAllowed ? 'Unreachable' : 'Refused', unreachable ?? STRANGE);
  }
  const kind = NOT_NOW.has(codeIn(error)) ? 'Unreachable' : refused;
  return new DatabaseFault(kind, told(error.message, password));
};
