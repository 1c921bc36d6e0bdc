import type { IncomingResponse, OutgoingRequest } from '../connector/guarded-http';

/** How many redirects of a request are followed. */
export const MAX_REDIRECTS = 3;

/** Statuses that keep method and body. */
const REPEATING = new Set([307, 308]);
/** Statuses that a GET may follow too. */
const FOUND = new Set([301, 302, 303]);

/** What another origin may see; credentials, signatures and own headers are not among it. */
const HARMLESS = new Set(['accept', 'content-type', 'idempotency-key']);

/**
 * The request to which a response redirects.
 *
 * 307 and 308 are followed with any method, 301 to 303 with GET only. Headers stay on the same origin; another
 * origin gets the harmless ones alone. Never from https to http, nor to a URL that is not valid or names a user.
 *
 * @returns undefined when the answer is to be taken as it is.
 */
export const redirected = <Request extends Pick<OutgoingRequest, 'method' | 'url' | 'headers'>>(
  request: Request,
  { status, headers }: Omit<IncomingResponse, 'body'> & Partial<IncomingResponse>,
): Request | undefined => {
  if (!REPEATING.has(status) && !(FOUND.has(status) && request.method === 'GET')) return undefined;
  const location = headers['location'];
  const from = new URL(request.url);
  if (location === undefined || !URL.canParse(location, from.href)) return undefined;
  const to = new URL(location, from);
  if (!mayFollow(from, to)) return undefined;
  return {
    ...request,
    url: to.href,
    headers: from.origin === to.origin ? request.headers : harmless(request.headers),
  };
};

const mayFollow = (from: URL, to: URL): boolean =>
  to.username === '' &&
  to.password === '' &&
  (to.protocol === 'https:' || (to.protocol === 'http:' && from.protocol === 'http:'));

const harmless = (headers: OutgoingRequest['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => HARMLESS.has(name.toLowerCase())));
