import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type Span, type Tracing, withTrace } from '@penstock/runtime';

/** The methods that spans name; any other is `_OTHER`, since a client may send any text. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Finds the pattern of the route of a URL; undefined: no route has it. */
export type RouteOf = (url: string) => string | undefined;

/** A parent as the client has sent it; of several headers none is valid. */
const parentOf = ({ headers }: IncomingMessage): string | undefined => {
  const { traceparent } = headers;
  return typeof traceparent === 'string' ? traceparent : undefined;
};

interface Asked {
  readonly method: string;
  readonly route: string | undefined;
}

const end = (span: Span, { method, route }: Asked, response: ServerResponse): void => {
  const { statusCode, writableFinished } = response;
  const error = writableFinished ? String(statusCode) : 'ClientGone';
  span.end({
    name: route === undefined ? `HTTP ${method}` : `HTTP ${method} ${route}`,
    attributes: {
      'http.request.method': method,
      ...(route !== undefined && { 'http.route': route }),
      ...(writableFinished && { 'http.response.status_code': statusCode }),
    },
    ...((!writableFinished || statusCode >= 500) && { error }),
  });
};

/**
 * Handles requests, those that are sampled within a span. The URL is not in it: it may contain a key, or data of a user.
 */
export const tracedListener =
  (tracing: Tracing, routeOf: RouteOf, listener: RequestListener): RequestListener =>
  (request, response) => {
    const span = tracing.begin('HTTP', { kind: 'server', parent: parentOf(request) });
    if (span === undefined) return listener(request, response);
    const { method = '', url = '' } = request;
    const asked = { method: METHODS.has(method) ? method : '_OTHER', route: routeOf(url) };
    response.once('close', () => {
      end(span, asked, response);
    });
    withTrace(span.traceparent, () => listener(request, response));
  };
