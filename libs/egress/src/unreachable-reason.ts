import { EgressRefused } from './guarded-lookup';

const REASONS: Readonly<Record<string, string>> = {
  EAI_AGAIN: 'host name cannot be resolved',
  ECONNREFUSED: 'connection was refused',
  ECONNRESET: 'connection was closed before the answer',
  EHOSTUNREACH: 'host cannot be reached',
  ENETUNREACH: 'host cannot be reached',
  ENOTFOUND: 'host name cannot be resolved',
  EPIPE: 'connection was closed before the answer',
  ETIMEDOUT: 'connection timed out',
};

/** Codes of OpenSSL's verification and of Node's TLS, e.g. `CERT_HAS_EXPIRED`. */
const TLS_CODE = /CERT|TLS|SSL|SIGNATURE|ISSUER/;

/**
 * Why a server could not be talked to, in a few words. Made from the error's code alone: texts of errors may hold
 * parts of what was sent.
 *
 * @returns undefined when it was neither the network nor TLS.
 */
export const unreachableReason = (error: Error): string | undefined => {
  if (error instanceof EgressRefused) return error.message;
  const code = codeOf(error);
  return (
    REASONS[code] ?? (TLS_CODE.test(code) ? `TLS connection is not trusted (${code})` : undefined)
  );
};

/** Node's code of an error, or of the first of several; empty when it has none. */
export const codeOf = (error: Error): string => {
  if ('code' in error && typeof error.code === 'string') return error.code;
  const [first] = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [];
  return first instanceof Error ? codeOf(first) : '';
};
