import { unreachableReason } from '@penstock/egress';
import { types } from 'node:util';
import { DatabaseError } from 'pg';
import { WarehouseFault, type WarehouseFaultKind } from '../platform/warehouse';

/** Message of pg, without a code, when the server accepts no encrypted connections. */
const NO_TLS = 'The server does not support SSL connections';
/** Its message when the handshake fails, as it does without a password. */
const HANDSHAKE = /^SASL/;

/** SQLSTATE of a server that is away, starting, ending, or full. Source: PostgreSQL, appendix A. */
const NOT_NOW = /^(08|53|57P)/;

/** Characters of a server's words that are passed on: it is not ours. */
const MAX_TOLD = 500;

export const saysNoTls = (error: unknown): boolean =>
  types.isNativeError(error) && error.message === NO_TLS;

/** Servers repeat names, never the password; but a name may be equal to it. */
const without = (password: string, text: string): string =>
  password === '' ? text : text.replaceAll(password, '••••');

/** SQLSTATE of what the service's own statements raise, with the kind that it stands for. */
export const RAISED = {
  PS001: 'foreign',
  PS002: 'newer',
  PS003: 'outdated',
  PS004: 'fenced',
} as const satisfies Readonly<Record<string, WarehouseFaultKind>>;

const isRaised = (code: string): code is keyof typeof RAISED => code in RAISED;

const kindOf = (code: string): WarehouseFaultKind => {
  if (isRaised(code)) return RAISED[code];
  return NOT_NOW.test(code) ? 'unreachable' : 'unusable';
};

const serverFault = ({ code = '', message }: DatabaseError, password: string): WarehouseFault =>
  new WarehouseFault(kindOf(code), without(password, message).slice(0, MAX_TOLD));

const connectionFault = (error: Error): WarehouseFault => {
  if (saysNoTls(error))
    return new WarehouseFault('unusable', 'server does not take encrypted connections');
  if (HANDSHAKE.test(error.message))
    return new WarehouseFault('unusable', 'authentication has failed: is the password missing?');
  return new WarehouseFault('unreachable', unreachableReason(error) ?? 'connection was lost');
};

/**
 * Why it failed: the server's own words, else words for what became of the connection.
 *
 * @throws the error itself when it is a bug.
 */
export const faultOf = (error: unknown, password: string, signal: AbortSignal): WarehouseFault => {
  if (error instanceof WarehouseFault) return error;
  if (error instanceof DatabaseError) return serverFault(error, password);
  if (signal.aborted) return new WarehouseFault('unreachable', 'there was no answer in time');
  if (!types.isNativeError(error) || error instanceof TypeError) throw error;
  return connectionFault(error);
};
