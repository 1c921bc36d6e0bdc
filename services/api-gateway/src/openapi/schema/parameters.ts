import type { Plain } from '@penstock/settings';
import { FLAG, type JsonSchema, ref, TEXT, TIME } from './json-schema';

/**
 * A parameter object of OpenAPI. It has neither an example nor a default: the page of the document would fill them in,
 * and send a workspace, an id or a version that does not exist. Descriptions say both.
 */
export interface Parameter {
  readonly name: string;
  readonly [keyword: string]: Plain;
}

/** A query parameter. */
export const inQuery = (name: string, description: string, schema: JsonSchema): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
});

/** A header of the request. */
export const inHeader = (name: string, description: string, schema: JsonSchema): Parameter => ({
  name,
  in: 'header',
  description,
  schema,
});

/** A query parameter that filters a list by equality. */
export const only = (name: string, schema: JsonSchema = TEXT): Parameter =>
  inQuery(name, `Returns only items with this ${name}.`, schema);

/** A query parameter with URL-encoded JSON. */
export const json = (name: string, description: string, component: string): Parameter => ({
  name,
  in: 'query',
  description: `${description} URL-encoded JSON.`,
  content: { 'application/json': { schema: ref(component) } },
});

export const required = (parameter: Parameter): Parameter => ({ ...parameter, required: true });

export const LIMIT = inQuery('limit', 'Maximum number of items. Default: 100.', {
  type: 'integer',
  minimum: 1,
  maximum: 1_000,
});

/** The limit of an excerpt. */
export const FILE_LIMIT = inQuery('limit', 'How many records at most; 0 when it is left out.', {
  type: 'integer',
  minimum: 0,
  maximum: 100,
});

/** The table whose columns are listed. */
export const TABLE_NAME = required(
  inQuery('name', 'Name of the table, in the schema or database of the connection.', {
    type: 'string',
    minLength: 1,
    maxLength: 1_024,
    pattern: '^[^\\u0000]*$',
  }),
);

/** The cursor of a list; the forms of cursors differ between lists. */
export const cursorLike = (pattern: string): Parameter =>
  inQuery('cursor', 'The `cursor` of the previous page. Empty, or left out: the first page.', {
    type: 'string',
    pattern,
  });

const CURSOR = cursorLike('^([A-Za-z0-9_-]{12,26})?$');

export const PAGE: readonly Parameter[] = [LIMIT, CURSOR];

/** The search of a list of named objects. */
export const SEARCH = inQuery(
  'search',
  'Returns only items whose name contains this text, ignoring case.',
  {
    type: 'string',
    minLength: 1,
    maxLength: 100,
  },
);

export const AT = inQuery(
  'at',
  'Returns the state at this time, which must be at least one second ago, such as `2026-03-01T09:30:00Z`.',
  TIME,
);

export const DRY_RUN = inQuery(
  'dryRun',
  [
    'Whether to try the request only: it is checked and answered as if it were executed, but nothing is recorded.',
    'Ids and keys in the answer are not valid. `Idempotency-Key` has no effect. Default: `false`.',
  ].join(' '),
  FLAG,
);

export const FROM = inQuery('from', 'At this time or later.', TIME);
export const TO = inQuery('to', 'Before this time.', TIME);

export const EVENT_TYPE = required(
  inQuery('type', 'ID of an event type of the connection, such as `send_add_to_cart`.', {
    type: 'string',
    minLength: 1,
  }),
);

export const PROPERTIES: Parameter = {
  ...inQuery(
    'properties',
    'Names of the properties that are wanted, at the top of the schema: separated by commas, or the parameter repeated. Left out: all.',
    { type: 'array', items: TEXT },
  ),
  style: 'form',
  explode: false,
};

/** The order of a list. */
export const order = (description: string): Parameter =>
  inQuery('order', description, { type: 'string', minLength: 1 });

export const COUNT = inQuery(
  'count',
  'Whether to count all items that match, which takes longer. Default: `false`.',
  FLAG,
);

export const ORDER_DESC = inQuery(
  'orderDesc',
  'Whether the greatest values are the first ones. Default: `true` without an `order`, else `false`.',
  FLAG,
);

export const USER_ID = inQuery('userId', 'As events carry it.', { type: 'string', minLength: 1 });

export const WORKSPACE_HEADER = inHeader(
  'Penstock-Workspace',
  'The workspace that the request acts on. Required with a key of the organization if there are several workspaces.',
  ref('Id'),
);

export const IDEMPOTENCY_KEY = inHeader(
  'Idempotency-Key',
  'Makes the request safe to repeat: it is executed once, and repetitions within 24 hours get the same answer.',
  { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
);

export const IF_MATCH = inHeader(
  'If-Match',
  [
    'The `ETag` of a GET. If the object has changed since, the request is refused with 409.',
    'A link and an event write key have the version of their source, an API key has always `"1"`.',
  ].join(' '),
  TEXT,
);

/** Parameters of many operations; each is one component. */
export const SHARED_PARAMETERS: Readonly<Record<string, Parameter>> = {
  Limit: LIMIT,
  Cursor: CURSOR,
  Search: SEARCH,
  At: AT,
  DryRun: DRY_RUN,
  From: FROM,
  To: TO,
  Workspace: WORKSPACE_HEADER,
  IdempotencyKey: IDEMPOTENCY_KEY,
  IfMatch: IF_MATCH,
};

/** Returns a reference to a shared parameter, or the parameter itself. */
export const shared = (parameter: Parameter): JsonSchema => {
  const found = Object.entries(SHARED_PARAMETERS).find(([, each]) => each === parameter);
  return found === undefined ? parameter : { $ref: `#/components/parameters/${found[0]}` };
};

/** A path parameter; its schema is chosen by name. */
export const inPath = (name: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  ...(PATH[name] ?? PATH_ID),
});

const PATH_ID: JsonSchema = { schema: ref('Id') };

const PATH: Readonly<Record<string, JsonSchema>> = {
  src: { ...PATH_ID, description: 'A source connection: an SDK or a webhook.' },
  dst: { ...PATH_ID, description: 'A destination: an application that takes events.' },
  key: { schema: ref('EventWriteKey'), description: 'The key to delete.' },
  writeKey: { schema: ref('EventWriteKey'), description: 'The event write key.' },
  messageId: { schema: TEXT, description: 'Message id of the event, percent-encoded.' },
  profile: { schema: { type: 'string', format: 'uuid' }, description: 'ID of a profile.' },
  code: { schema: TEXT, description: 'Code of a connector, such as `nodejs`.' },
};
