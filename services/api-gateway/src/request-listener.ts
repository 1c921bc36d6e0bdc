import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { withRequestId } from '@penstock/runtime';
import type { ApiRequest } from './auth/caller';
import type { ApiMetrics } from './http/api-metrics';
import { errorAnswer, errorBody } from './http/error-answer';
import { HttpRefusal } from './http/http-refusal';
import { requestIdOf } from './http/request-id';
import type { FoundRoute, Routes } from './http/routes';
import type { Intake } from './intake/intake';

/** Handles every request on the gateway's port: passes it to intake, to the API, or refuses an unknown route. */
export const requestListener =
  (intake: Intake, api: RequestListener, routes: Routes, metrics: ApiMetrics): RequestListener =>
  (request, response) => {
    if (!isReadOfApi(request, routes) && intake.handle(request, response)) return;
    const requestId = requestIdOf(request);
    response.setHeader('Request-Id', requestId);
    const route = routes.at(request.url ?? '');
    metrics.watch(response, route?.name);
    const refusal = routeRefusal(request, route);
    if (refusal !== undefined) return refuse(response, refusal);
    (request as ApiRequest).requestId = requestId;
    withRequestId(requestId, () => {
      api(request, response);
    });
  };

/** A path of intake may have a read of the API: events are sent and listed under one. */
const isReadOfApi = ({ method = '', url = '' }: IncomingMessage, routes: Routes): boolean =>
  (method === 'GET' || method === 'HEAD') && routes.at(url)?.methods.includes(method) === true;

const routeRefusal = (
  { method = '' }: IncomingMessage,
  route: FoundRoute | undefined,
): HttpRefusal | undefined => {
  if (route === undefined) return new HttpRefusal('NotFound');
  const { methods } = route;
  if (methods.includes(method)) return undefined;
  return new HttpRefusal('MethodNotAllowed', { headers: { Allow: methods.join(', ') } });
};

const refuse = (response: ServerResponse, refusal: HttpRefusal): void => {
  const answer = errorAnswer(refusal);
  const body = errorBody(answer);
  response.writeHead(answer.status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    ...answer.headers,
  });
  response.end(body);
};
