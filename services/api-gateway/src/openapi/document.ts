import type { Type } from '@nestjs/common';
import type { Plain } from '@penstock/settings';
import { describeIntakeRoutes } from '../intake/describe-intake-routes';
import { bodySchema } from './body-schema';
import { COMPONENTS } from './components/components';
import { bodyName, describeOperation } from './describe-operation';
import { type Operation, operationsOf } from './operations';
import type { Schemas } from './schema/content';
import { SHARED_ANSWERS } from './schema/errors';
import { HEADERS } from './schema/headers';
import type { JsonSchema } from './schema/json-schema';
import { SHARED_PARAMETERS } from './schema/parameters';

const INFO = {
  title: 'Penstock',
  version: '1.0.0',
  summary: 'An open customer-data pipeline.',
  description: [
    'Bodies are JSON, and integers in them may have 64 bits: read them with a parser that keeps every digit.',
    'Every error is `{"error": {"code", "message", "details"?}}`; `code` is for programs, `message` begins as said here.',
    'An unknown route is 404 `NotFound`; a method that a route does not take is 405 `MethodNotAllowed` with `Allow`.',
    'Headers beyond 128 KiB are 431 `HeadersTooLarge`; a request that does not arrive in a minute is 408 `RequestTimeout`.',
    'Every answer has a `Request-Id`.',
    'A request to change something honours `If-Match`. What it makes, and what has no version, matches `*` alone: any tag is 409.',
  ].join('\n\n'),
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
} as const;

const TAGS = {
  Events: 'Sending events, with a write key.',
  'Events of SDKs': 'Sending events with the SDKs of Segment and RudderStack.',
  Connections: 'Sources and destinations, their links and write keys.',
  Connectors: 'The applications, databases, SDKs and webhooks that can be connected.',
  Applications: 'Users and schemas of the application behind a connection.',
  Pipelines: 'What is sent from or to a connection, and how it is filtered and transformed.',
  Runs: 'Runs of pipelines, and when they start.',
  Metrics: 'What has happened to events over time.',
  Warehouse: 'The data warehouse of the workspace.',
  Profiles: 'The people in the data warehouse.',
  Users: 'Users whose events are left out.',
  Workspaces: 'Workspaces of the organization.',
  Organization: 'The organization and its API keys.',
  Audit: 'Who changed what, and when.',
  Document: 'This document.',
} as const;

const SECURITY_SCHEMES = {
  ApiKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API key, `pk_…`. Its scope is `read`, `write` or `admin`, each of which includes the ones before, or `mcp`, which ' +
      'opens the MCP server only.',
  },
  WriteKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'The event write key of a source.',
  },
  WriteKeyAsUser: {
    type: 'http',
    scheme: 'basic',
    description: 'The event write key as the user name, without a password.',
  },
  WriteKeyInQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'writeKey',
    description:
      'The event write key where no header can be set, in the query or as the member `writeKey` of the body.',
  },
} as const;

/** Groups operations by path, in their order. */
const pathsOf = (operations: readonly Operation[], schemas: Schemas): JsonSchema => {
  const paths: Record<string, Record<string, Plain>> = {};
  const add = (path: string, method: string, operation: JsonSchema): void => {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  };
  for (const operation of operations)
    if (operation.description !== undefined)
      add(
        operation.path,
        operation.method,
        describeOperation(operation, operation.description, { schemas, operations }),
      );
  for (const { path, method, operation } of describeIntakeRoutes(schemas))
    add(path, method, operation);
  return paths;
};

/** Schemas of request bodies, by class name. */
const bodiesOf = (operations: readonly Operation[]): Schemas =>
  Object.fromEntries(
    operations.flatMap(({ body, description }) =>
      body === undefined || description === undefined
        ? []
        : [[bodyName(body.shape), bodySchema(body)]],
    ),
  );

/**
 * Builds the API's document (OpenAPI 3.1) from the code alone: the decorators that control routes, guards, bodies and
 * refusals also describe them.
 */
export const openApiDocument = (controllers: readonly Type<object>[]): JsonSchema => {
  const operations = operationsOf(controllers);
  const schemas = { ...COMPONENTS, ...bodiesOf(operations) };
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: pathsOf(operations, schemas),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters: SHARED_PARAMETERS,
      headers: HEADERS,
      responses: SHARED_ANSWERS,
      schemas,
    },
  };
};
