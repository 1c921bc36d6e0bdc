import { codeOf, unreachableReason } from '@penstock/egress';

/** Error codes of undici itself, beside those of the network. */
const REASONS: Readonly<Record<string, string>> = {
  UND_ERR_CONNECT_TIMEOUT: 'connection timed out',
  UND_ERR_DESTROYED: 'client is closed',
  UND_ERR_CLOSED: 'client is closed',
  UND_ERR_HEADERS_OVERFLOW: 'answer is not valid HTTP',
  UND_ERR_INVALID_ARG: 'request is not valid HTTP',
  UND_ERR_NOT_SUPPORTED: 'request is not valid HTTP',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'answer is not valid HTTP',
  UND_ERR_SOCKET: 'connection was closed before the answer',
};

/** Why there was no answer, in a few words. Made from the error's code alone. */
export const noAnswerReason = (error: Error): string => {
  const code = codeOf(error);
  const known = REASONS[code] ?? unreachableReason(error);
  if (known !== undefined) return known;
  if (code.startsWith('HPE_')) return 'answer is not valid HTTP';
  return code === '' ? 'request failed' : `request failed (${code})`;
};
