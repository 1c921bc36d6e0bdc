import { unreachableReason } from '@penstock/egress';
import { DatabaseError } from 'pg';
import { WarehouseFault } from '../warehouse';

/** What pg says without a code when the server takes no encrypted connections. */
const NO_TLS = 'The server does not support SSL connections';

/** SQLSTATE of a server that is away, starting, ending, or full. Source: PostgreSQL, appendix A. */
const NOT_NOW = /^(08|53|57P)/;

export const saysNoTls = (error: unknown): boolean =>
  error instanceof Error && error.message === NO_TLS;

/** Servers repeat names, never the password; but a name may be equal to it. */
const without = (password: string, text: string): string =>
  password === '' ? text : text.replaceAll(password, '••••');

const serverFault = ({ code = '', message }: DatabaseError, password: string): WarehouseFault =>
  new WarehouseFault(NOT_NOW.test(code) ? 'unreachable' : 'unusable', without(password, message));

/** Why it failed: the server's own words, else words for what became of the connection. */
export const faultOf = (error: unknown, password: string, signal: AbortSignal): WarehouseFault => {
  if (error instanceof WarehouseFault) return error;
  if (error instanceof DatabaseError) return serverFault(error, password);
  if (signal.aborted) return new WarehouseFault('unreachable', 'there was no answer in time');
  if (saysNoTls(error))
    return new WarehouseFault('unusable', 'server does not take encrypted connections');
  const reason = error instanceof Error ? unreachableReason(error) : undefined;
  return new WarehouseFault('unreachable', reason ?? 'connection was lost');
};
