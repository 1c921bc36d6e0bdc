import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { withRequestId } from '@penstock/runtime';
import type { ApiRequest } from './auth/caller';
import { errorAnswer, errorBody } from './http/error-answer';
import { HttpRefusal } from './http/http-refusal';
import { requestIdOf } from './http/request-id';
import type { Routes } from './http/routes';
import type { Intake } from './intake/intake';

/** Handles every request on the gateway's port: passes it to intake, to the API, or refuses an unknown route. */
export const requestListener =
  (intake: Intake, api: RequestListener, routes: Routes): RequestListener =>
  (request, response) => {
    if (intake.handle(request, response)) return;
    const requestId = requestIdOf(request);
    response.setHeader('Request-Id', requestId);
    const refusal = routeRefusal(request, routes);
    if (refusal !== undefined) return refuse(response, refusal);
    (request as ApiRequest).requestId = requestId;
    withRequestId(requestId, () => {
      api(request, response);
    });
  };

const routeRefusal = (
  { url = '', method = '' }: IncomingMessage,
  routes: Routes,
): HttpRefusal | undefined => {
  const methods = routes.methodsAt(url);
  if (methods.length === 0) return new HttpRefusal('NotFound');
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
