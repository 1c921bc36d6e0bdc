import { EgressRefused } from './guarded-connect';

const REASONS: Readonly<Record<string, string>> = {
  EAI_AGAIN: 'host name cannot be resolved',
  ECONNREFUSED: 'connection was refused',
  ECONNRESET: 'connection was closed before the answer',
  EHOSTUNREACH: 'host cannot be reached',
  ENETUNREACH: 'host cannot be reached',
  ENOTFOUND: 'host name cannot be resolved',
  EPIPE: 'connection was closed before the answer',
  ETIMEDOUT: 'connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'connection timed out',
  UND_ERR_DESTROYED: 'client is closed',
  UND_ERR_CLOSED: 'client is closed',
  UND_ERR_HEADERS_OVERFLOW: 'answer is not valid HTTP',
  UND_ERR_INVALID_ARG: 'request is not valid HTTP',
  UND_ERR_NOT_SUPPORTED: 'request is not valid HTTP',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'answer is not valid HTTP',
  UND_ERR_SOCKET: 'connection was closed before the answer',
};

/** Codes of OpenSSL's verification and of Node's TLS, e.g. `CERT_HAS_EXPIRED`. */
const TLS_CODE = /CERT|TLS|SSL|SIGNATURE|ISSUER/;

/**
 * Why there was no answer, in a few words. Made from the error's code alone: texts of errors may hold parts of
 * the request or of the answer.
 */
export const noAnswerReason = (error: Error): string => {
  if (error instanceof EgressRefused) return error.message;
  const code = codeOf(error);
  const known = REASONS[code];
  if (known !== undefined) return known;
  if (code.startsWith('HPE_')) return 'answer is not valid HTTP';
  if (TLS_CODE.test(code)) return `TLS connection is not trusted (${code})`;
  return code === '' ? 'request failed' : `request failed (${code})`;
};

const codeOf = (error: Error): string => {
  if ('code' in error && typeof error.code === 'string') return error.code;
  const [first] = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [];
  return first instanceof Error ? codeOf(first) : '';
};
