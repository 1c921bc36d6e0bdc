import type { Operation } from './operations';
import { contentOf, type Schemas } from './schema/content';
import type { Description } from './schema/describe';
import { type ApiError, errorAnswersOf, http, refused } from './schema/errors';
import { headersNamed } from './schema/headers';
import type { JsonSchema } from './schema/json-schema';
import {
  IDEMPOTENCY_KEY,
  IF_MATCH,
  inPath,
  type Parameter,
  shared,
  WORKSPACE_HEADER,
} from './schema/parameters';

const EVENT_STREAM = 'text/event-stream';

const RATE_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** Builds an operation id: `Create connection` → `createConnection`. */
const idOf = (summary: string): string =>
  summary.toLowerCase().replace(/[^a-z0-9]+(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Name of a body's schema: its class name without `Dto`. */
export const bodyName = (shape: { readonly name: string }): string =>
  shape.name.replace(/Dto$/, '');

const isConditional = ({ method }: Operation, { isVersioned }: Description): boolean =>
  isVersioned === true && method !== 'GET';

const parametersOf = (operation: Operation, description: Description): readonly Parameter[] => {
  const { path, method, needed } = operation;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const isPublic = needed.access === 'public';
  return [
    ...names.map(inPath),
    ...(description.query ?? []),
    ...(description.headers ?? []),
    ...(isPublic || needed.isOfOrganization ? [] : [WORKSPACE_HEADER]),
    ...(method === 'POST' ? [IDEMPOTENCY_KEY] : []),
    ...(isConditional(operation, description) ? [IF_MATCH] : []),
  ];
};

const errorsOf = (operation: Operation, description: Description): readonly ApiError[] => {
  const { method, needed, refusals } = operation;
  const isPublic = needed.access === 'public';
  const isRead = method === 'GET';
  const isPost = method === 'POST';
  const isNarrow = needed.access !== 'read' || needed.needsOrganizationKey;
  const of = (applies: boolean, ...errors: readonly ApiError[]) => (applies ? errors : []);
  return [
    refused({ code: 'BadRequest' }),
    ...of(!isPublic, refused({ code: 'Unauthorized' }), http('TooManyRequests')),
    ...of(!isPublic && isNarrow, refused({ code: 'Forbidden' })),
    ...of(!isPublic && !needed.isOfOrganization, refused({ code: 'WorkspaceNotExist' })),
    ...of(!isPublic && !needed.isEvenDisabled, refused({ code: 'OrganizationDisabled' })),
    ...of(isPost || isConditional(operation, description), refused({ code: 'Conflict' })),
    ...of(!isRead, http('PayloadTooLarge'), http('UnsupportedMediaType')),
    ...refusals.map(refused),
    ...of(!isPublic, http('ServiceUnavailable')),
    http('InternalError'),
  ];
};

/** What the description of an operation refers to. */
export interface Surroundings {
  readonly schemas: Schemas;
  readonly operations: readonly Operation[];
}

/** Links from a POST to the operations on the created object, by the `id` of the answer. */
const linksFrom = ({ path, method }: Operation, operations: readonly Operation[]): JsonSchema => {
  const parameters = { id: '$response.body#/id' };
  const below = operations.filter(
    (other) => method === 'POST' && other.path.split('/{id}')[0] === path && other.path !== path,
  );
  return Object.fromEntries(
    below.flatMap(({ description }) => {
      const operationId = idOf(description?.summary ?? '');
      return operationId === '' ? [] : [[operationId, { operationId, parameters }]];
    }),
  );
};

const successOf = (
  operation: Operation,
  description: Description,
  { schemas, operations }: Surroundings,
): JsonSchema => {
  const { answer, isVersioned, isStream = false } = description;
  const mediaType = isStream ? EVENT_STREAM : undefined;
  const links = linksFrom(operation, operations);
  const { method, needed } = operation;
  const names = [
    'Request-Id',
    ...(needed.access === 'public' ? [] : RATE_HEADERS),
    ...(isVersioned === true && method === 'GET' ? ['ETag'] : []),
    ...(method === 'POST' ? ['Idempotent-Replayed'] : []),
  ];
  return {
    description: answer === undefined ? 'Done; no body.' : 'Done.',
    headers: headersNamed(names),
    ...(answer !== undefined && { content: contentOf(answer, schemas, mediaType) }),
    ...(Object.keys(links).length > 0 && { links }),
  };
};

/** Describes the required key in a sentence for human readers, from the handler's requirements. */
const whoMay = ({ needed: { access, needsOrganizationKey } }: Operation): string => {
  if (access === 'public') return 'Needs no key.';
  const of = needsOrganizationKey ? ' of the organization' : '';
  return `Needs an API key${of} of scope \`${access}\`.`;
};

/** Builds the operation object of OpenAPI. */
export const describeOperation = (
  operation: Operation,
  description: Description,
  surroundings: Surroundings,
): JsonSchema => {
  const { tag, needed, body } = operation;
  return {
    operationId: idOf(description.summary),
    summary: description.summary,
    description: [description.description, whoMay(operation)].filter(Boolean).join(' '),
    tags: [tag],
    security: needed.access === 'public' ? [] : [{ ApiKey: [needed.access] }],
    parameters: parametersOf(operation, description).map(shared),
    ...(body && {
      requestBody: {
        required: body.isRequired,
        content: contentOf(bodyName(body.shape), surroundings.schemas),
      },
    }),
    responses: {
      200: successOf(operation, description, surroundings),
      ...errorAnswersOf(errorsOf(operation, description)),
    },
  };
};
