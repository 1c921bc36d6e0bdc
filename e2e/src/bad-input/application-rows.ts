import { absent, json, malformed, NO_CONNECTION, NONE, type Row } from './refusal';

const encoded = (schema: object): string => encodeURIComponent(JSON.stringify(schema));
const object = (...properties: object[]): object => ({ kind: 'object', properties });

const EVENT = {
  connectionId: '{source}',
  anonymousId: 'ada',
  messageId: 'm1',
  type: 'track',
  event: 'Bad',
  traits: {},
  receivedAt: '2026-03-01T09:30:00Z',
  sentAt: '2026-03-01T09:30:00Z',
  originalTimestamp: '2026-03-01T09:30:00Z',
  timestamp: '2026-03-01T09:30:00Z',
};

const PREVIEW = {
  type: 'send_values',
  event: EVENT,
  transformation: { mapping: { properties: 'traits' } },
  outSchema: object({ name: 'properties', type: { kind: 'json' }, createRequired: true }),
};

const preview = (
  title: string,
  changes: object,
  refused: Row[3],
  connection = '{destination}',
): Row => [
  `a preview of ${title}`,
  `POST /v1/connections/${connection}/preview-send-event`,
  json({ ...PREVIEW, ...changes }),
  refused,
];

export const UPDATES: Row[] = [
  ['no name', 'PUT /v1/connections/{destination}', json({}), malformed('/name')],
  [
    'a member that an update does not have',
    'PUT /v1/connections/{destination}',
    json({ name: 'A', role: 'Source' }),
    malformed('/role'),
  ],
  [
    'settings that are not valid',
    'PUT /v1/connections/{destination}',
    json({ name: 'A', settings: { url: 'ftp://example.com' } }),
    {
      status: 422,
      code: 'InvalidSettings',
      message: 'settings are not valid',
      path: '/settings/url',
    },
  ],
  [
    'a masked secret that stands for nothing',
    'PUT /v1/connections/{destination}',
    json({
      name: 'A',
      settings: { url: 'https://example.com', auth: { type: 'bearer', token: '••••1234' } },
    }),
    {
      status: 422,
      code: 'InvalidSettings',
      message: 'settings are not valid',
      path: '/settings/auth/token',
    },
  ],
  [
    'another version than the one that was seen',
    'PUT /v1/connections/{destination}',
    {
      headers: { 'Content-Type': 'application/json', 'If-Match': '"999"' },
      body: '{"name":"A"}',
    },
    { status: 409, code: 'Conflict', message: 'resource was changed by another request' },
  ],
  [
    'a connection that is none',
    'PUT /v1/connections/nothing000000',
    json({ name: 'A' }),
    NO_CONNECTION,
  ],
  [
    'a connector that is none',
    'GET /v1/connectors/abacus',
    NONE,
    absent('ConnectorNotExist', 'connector does not exist'),
  ],
];

export const APPLICATIONS: Row[] = [
  ['no event type', 'GET /v1/connections/{destination}/schemas/event', NONE, malformed('/type')],
  [
    'an event type that is none',
    'GET /v1/connections/{destination}/schemas/event?type=send_nothing',
    NONE,
    absent('EventTypeNotExist', 'event type does not exist'),
  ],
  [
    'event types of a source',
    'GET /v1/connections/{application}/schemas/event?type=send_identity',
    NONE,
    NO_CONNECTION,
  ],
  [
    'users of an application that has none',
    'GET /v1/connections/{destination}/schemas/user',
    NONE,
    NO_CONNECTION,
  ],
  [
    'users of a source of events',
    `GET /v1/connections/{source}/users?schema=${encoded(object())}`,
    NONE,
    NO_CONNECTION,
  ],
  ['users without a schema', 'GET /v1/connections/{application}/users', NONE, malformed('/schema')],
  [
    'a schema that is no JSON',
    'GET /v1/connections/{application}/users?schema=%7B',
    NONE,
    malformed('/schema'),
  ],
  [
    'a schema that is none',
    `GET /v1/connections/{application}/users?schema=${encoded(object())}`,
    NONE,
    malformed('/schema/properties'),
  ],
  [
    'a schema that differs',
    `GET /v1/connections/{application}/users?schema=${encoded(object({ name: 'age', type: { kind: 'year' } }))}`,
    NONE,
    {
      status: 422,
      code: 'SchemaNotAligned',
      message: "schema is not aligned with the application's source schema",
      path: '/schema/properties/0',
    },
  ],
  [
    'a filter on what was not asked for',
    `GET /v1/connections/{application}/users?schema=${encoded(
      object({ name: 'dummyId', type: { kind: 'string', maxLength: 50 } }),
    )}&filter=${encoded({
      logical: 'and',
      conditions: [{ property: 'email', operator: 'is', values: ['a'] }],
    })}`,
    NONE,
    malformed('/filter/conditions/0/property'),
  ],
  [
    'a cursor that is none',
    `GET /v1/connections/{application}/users?cursor=x&schema=${encoded(
      object({ name: 'dummyId', type: { kind: 'string', maxLength: 50 } }),
    )}`,
    NONE,
    malformed('/cursor'),
  ],
];

export const PREVIEWS: Row[] = [
  preview('nothing', { type: undefined }, malformed('/type')),
  preview('an unknown member', { filter: null }, malformed('/filter')),
  preview('a source', {}, NO_CONNECTION, '{source}'),
  preview(
    'an event type that is none',
    { type: 'send_nothing' },
    { status: 422, code: 'EventTypeNotExist', message: 'connection does not have the event type' },
  ),
  preview(
    'a mapping that is no expression',
    { transformation: { mapping: { properties: 'lower(' } } },
    malformed('/transformation/mapping/properties'),
  ),
  preview(
    'a function in another language',
    { transformation: { function: { source: 'x', language: 'Ruby', preserveJSON: false } } },
    {
      status: 422,
      code: 'UnsupportedLanguage',
      message: 'transformation language is not supported',
    },
  ),
  preview(
    'an event that is none',
    { event: { ...EVENT, receivedAt: 5 } },
    { status: 422, code: 'InvalidEvent', message: 'event is invalid', path: '/event/receivedAt' },
  ),
  preview(
    'no transformation where one is needed',
    { transformation: null, outSchema: null },
    {
      status: 422,
      code: 'SchemaNotAligned',
      message: "output schema is not compatible with the event type's schema",
      path: '/outSchema',
    },
  ),
  preview(
    'an expression that fails',
    { transformation: { mapping: { properties: 'json_parse(event)' } } },
    { status: 422, code: 'TransformationFailed', message: 'transformation failed: properties' },
  ),
  preview(
    'a function that throws',
    {
      transformation: {
        function: {
          source: 'const transform = () => { throw new Error("no way"); };',
          language: 'JavaScript',
          preserveJSON: false,
        },
      },
    },
    {
      status: 422,
      code: 'TransformationFailed',
      message: 'transformation failed: JavaScript: Error: no way',
    },
  ),
];
