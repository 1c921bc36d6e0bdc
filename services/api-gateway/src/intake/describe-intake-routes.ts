import { bodyNameOf } from '../openapi/components/intake';
import { contentOf, type Schemas } from '../openapi/schema/content';
import { type ApiError, errorAnswersOf, http, refused } from '../openapi/schema/errors';
import { headersNamed } from '../openapi/schema/headers';
import type { JsonSchema } from '../openapi/schema/json-schema';
import { inPath } from '../openapi/schema/parameters';
import { type Accepts, type IntakeRoute, intakeRouteAt, INTAKE_ROUTES } from './intake-routes';

/** A path of the document with its operation. */
export interface DescribedRoute {
  readonly path: string;
  readonly method: 'get' | 'post';
  readonly operation: JsonSchema;
}

const COMMON: readonly ApiError[] = [
  refused({ code: 'Unauthorized' }),
  http('ServiceUnavailable'),
  http('InternalError'),
];

/** Of routes for events; a disabled organization's senders are to keep their events, hence 503. */
const TAKING: readonly ApiError[] = [
  ...COMMON,
  refused({ code: 'BadRequest' }),
  http('PayloadTooLarge'),
  http('UnsupportedMediaType'),
  http('TooManyRequests'),
  refused({ code: 'OrganizationDisabled', kind: 'unavailable' }),
];

const ANSWER_HEADERS = headersNamed(['Request-Id', 'Access-Control-Allow-Origin']);

/** With the key in its path it is nowhere else. */
const keyOf = (path: string): JsonSchema =>
  path.includes('{writeKey}')
    ? { security: [], parameters: [inPath('writeKey')] }
    : { security: [{ WriteKey: [] }, { WriteKeyAsUser: [] }, { WriteKeyInQuery: [] }] };

const BODIES: Readonly<Record<Accepts, string>> = {
  any: 'Submission',
  one: 'SentEvent',
  many: 'EventBatch',
};

/** Of one type of event: the path says it, so that the event need not. */
const bodyOf = (
  path: string,
  { accepts, type }: Extract<IntakeRoute, { kind: 'events' }>,
  schemas: Schemas,
): JsonSchema => {
  if (path.includes('{writeKey}')) return contentOf('WebhookBody', schemas);
  return contentOf(type === undefined ? BODIES[accepts] : bodyNameOf(type), schemas);
};

/** `/v1/events/track` → `sendEventsTrack`. */
const idOf = (path: string): string => {
  const steps = path.split(/[^A-Za-z0-9]+/).filter((step) => step !== '' && step !== 'v1');
  return ['send', ...steps.map((step) => step.charAt(0).toUpperCase() + step.slice(1))].join('');
};

const taking = (
  path: string,
  route: Extract<IntakeRoute, { kind: 'events' }>,
  schemas: Schemas,
): JsonSchema => ({
  operationId: idOf(path),
  summary: SUMMARIES[route.accepts](route.type),
  description:
    'Answered once the events are durable. Any content type is taken, and gzip; of several events the valid ones are accepted and the others named.',
  tags: [path.startsWith('/v1/events') || path.includes('{') ? 'Events' : 'Events of SDKs'],
  ...keyOf(path),
  requestBody: {
    required: true,
    content: bodyOf(path, route, schemas),
  },
  responses: {
    200: {
      description: 'Accepted.',
      headers: ANSWER_HEADERS,
      content: contentOf('Accepted', schemas),
    },
    ...errorAnswersOf(TAKING, 'IntakeError'),
  },
});

const SUMMARIES: Readonly<Record<Accepts, (type: string | undefined) => string>> = {
  any: () => 'Send events',
  one: (type = 'one') => `Send ${type} event`,
  many: () => 'Send batch',
};

const settings = (path: string, schemas: Schemas): JsonSchema => ({
  operationId: path.includes('projects') ? 'getSegmentSettings' : 'getRudderStackSettings',
  summary: 'Get settings of a browser SDK',
  description: 'What the unchanged SDK asks for before it sends.',
  tags: ['Events of SDKs'],
  ...keyOf(path),
  responses: {
    200: {
      description: 'The smallest answer with which the SDK starts.',
      headers: ANSWER_HEADERS,
      content: contentOf('BrowserSettings', schemas),
    },
    ...errorAnswersOf(COMMON, 'IntakeError'),
  },
});

const describeIntakeRoute = (path: string, route: IntakeRoute, schemas: Schemas): DescribedRoute =>
  route.kind === 'events'
    ? { path, method: 'post', operation: taking(path, route, schemas) }
    : { path, method: 'get', operation: settings(path, schemas) };

/** Those whose path names the key, which is a step of its own in the document. */
const WITH_KEY = ['/v1/webhooks/{writeKey}', '/v1/projects/{writeKey}/settings'];

/** Every route of intake for the API's document; a slash at the end is the same route. */
export const describeIntakeRoutes = (schemas: Schemas): readonly DescribedRoute[] =>
  [...INTAKE_ROUTES.keys(), ...WITH_KEY]
    .filter((path) => !path.endsWith('/'))
    .flatMap((path) => {
      const route = intakeRouteAt(path);
      return route === undefined ? [] : [describeIntakeRoute(path, route, schemas)];
    });
