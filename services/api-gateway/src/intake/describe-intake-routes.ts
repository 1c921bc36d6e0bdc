import { bodyNameOf } from '../openapi/components/intake';
import { contentOf, type Schemas } from '../openapi/schema/content';
import { type ApiError, errorAnswersOf, http, refused } from '../openapi/schema/errors';
import { headersNamed } from '../openapi/schema/headers';
import type { JsonSchema } from '../openapi/schema/json-schema';
import { inPath } from '../openapi/schema/parameters';
import { type Accepts, type IntakeRoute, intakeRouteAt, INTAKE_ROUTES } from './intake-routes';

/** A path of the API's document with its operation. */
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

/**
 * Errors of routes that accept events. Senders of a disabled organization are to keep their events, hence its kind
 * `unavailable` (503).
 */
const EVENT_ERRORS: readonly ApiError[] = [
  ...COMMON,
  refused({ code: 'BadRequest' }),
  http('PayloadTooLarge'),
  http('UnsupportedMediaType'),
  http('TooManyRequests'),
  refused({ code: 'OrganizationDisabled', kind: 'unavailable' }),
];

const ANSWER_HEADERS = headersNamed(['Request-Id', 'Access-Control-Allow-Origin']);

/** Describes where the key is sent: in the path, or else in a header or the query. */
const keyOf = (path: string): JsonSchema =>
  path.includes('{writeKey}')
    ? { security: [], parameters: [inPath('writeKey')] }
    : { security: [{ WriteKey: [] }, { WriteKeyAsUser: [] }, { WriteKeyInQuery: [] }] };

const BODIES: Readonly<Record<Accepts, string>> = {
  any: 'Submission',
  one: 'SentEvent',
  many: 'EventBatch',
};

/** Chooses the schema of the body. A path for one type of event does not require the member `type`. */
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

const describeEvents = (
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
    ...errorAnswersOf(EVENT_ERRORS, 'IntakeError'),
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
  description: 'The settings that the unchanged SDK requests before it sends events.',
  tags: ['Events of SDKs'],
  ...keyOf(path),
  responses: {
    200: {
      description: 'The settings with which the SDK starts.',
      headers: ANSWER_HEADERS,
      content: contentOf('BrowserSettings', schemas),
    },
    ...errorAnswersOf(COMMON, 'IntakeError'),
  },
});

const describeIntakeRoute = (path: string, route: IntakeRoute, schemas: Schemas): DescribedRoute =>
  route.kind === 'events'
    ? { path, method: 'post', operation: describeEvents(path, route, schemas) }
    : { path, method: 'get', operation: settings(path, schemas) };

/** Paths that contain the write key, as a parameter in the document. */
const WITH_KEY = ['/v1/webhooks/{writeKey}', '/v1/projects/{writeKey}/settings'];

/** Describes every route of intake for the API's document; paths that differ by a trailing slash are described once. */
export const describeIntakeRoutes = (schemas: Schemas): readonly DescribedRoute[] =>
  [...INTAKE_ROUTES.keys(), ...WITH_KEY]
    .filter((path) => !path.endsWith('/'))
    .flatMap((path) => {
      const route = intakeRouteAt(path);
      return route === undefined ? [] : [describeIntakeRoute(path, route, schemas)];
    });
