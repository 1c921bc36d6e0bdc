import {
  absent,
  json,
  malformed,
  NO_CONNECTION,
  NO_KEY,
  NO_PIPELINE,
  NONE,
  type Row,
  TOO_LARGE,
  UNSUPPORTED,
} from './refusal';

const OUT_SCHEMA = {
  kind: 'object',
  properties: [{ name: 'properties', type: { kind: 'json' }, createRequired: true }],
};

const PIPELINE = {
  name: 'P',
  connection: '{destination}',
  target: 'Event',
  eventType: 'send_values',
  transformation: { mapping: { properties: 'properties' } },
  outSchema: OUT_SCHEMA,
};

const condition = (property: string, operator: string, ...values: string[]): object => ({
  logical: 'and',
  conditions: [{ property, operator, values }],
});

export const ROUTES: Row[] = [
  ['an unknown route', 'GET /v1/nothing', NONE, absent('NotFound', 'route does not exist')],
  [
    'another method',
    'PATCH /v1/pipelines',
    NONE,
    { status: 405, code: 'MethodNotAllowed', message: 'method is not allowed' },
  ],
];

export const KEYS: Row[] = [
  ['no key', 'GET /v1/pipelines', { headers: { Authorization: '' } }, NO_KEY],
  ['another scheme', 'GET /v1/pipelines', { headers: { Authorization: 'Basic cGs6' } }, NO_KEY],
  [
    'an unknown key, before anything about the body',
    'POST /v1/pipelines',
    { headers: { Authorization: `Bearer pk_${'0'.repeat(40)}` }, body: '{' },
    NO_KEY,
  ],
];

export const BODIES: Row[] = [
  ['no JSON', 'POST /v1/pipelines', json('{"name":'), malformed('/name')],
  ['no body', 'POST /v1/pipelines', NONE, malformed('')],
  ['an array', 'POST /v1/pipelines', json([]), malformed('')],
  [
    'bytes that are not UTF-8',
    'POST /v1/pipelines',
    { ...json(''), body: Buffer.from([34, 255, 34]) },
    malformed(''),
  ],
  [
    'a repeated member',
    'POST /v1/connections',
    json('{"name":"a","name":"b"}'),
    malformed('/name'),
  ],
  ['an unknown member', 'POST /v1/pipelines', json({ ...PIPELINE, nme: 1 }), malformed('/nme')],
  ['a missing member', 'PUT /v1/pipelines/{pipeline}/status', json({}), malformed('/enabled')],
  [
    'another media type',
    'POST /v1/pipelines',
    { headers: { 'Content-Type': 'text/plain' }, body: '{}' },
    UNSUPPORTED,
  ],
  ['no media type', 'POST /v1/pipelines', { body: '{}' }, UNSUPPORTED],
  [
    'another charset',
    'POST /v1/pipelines',
    { headers: { 'Content-Type': 'application/json; charset=latin1' }, body: '{}' },
    UNSUPPORTED,
  ],
  ['512,001 bytes', 'POST /v1/pipelines', json(' '.repeat(512_001)), TOO_LARGE],
  ['512,000 bytes, of nothing', 'POST /v1/pipelines', json(' '.repeat(512_000)), malformed('')],
  [
    'chunks beyond the limit',
    'POST /v1/pipelines',
    {
      headers: { 'Content-Type': 'application/json' },
      chunks: [Buffer.alloc(300_000, ' '), Buffer.alloc(300_000, ' ')],
    },
    TOO_LARGE,
  ],
];

export const CONNECTIONS: Row[] = [
  [
    'a name of another type',
    'POST /v1/connections',
    json({ name: 1, role: 'Source', connector: 'nodejs' }),
    malformed('/name'),
  ],
  [
    'a role that is none',
    'POST /v1/connections',
    json({ name: 'A', role: 'Both', connector: 'nodejs' }),
    malformed('/role'),
  ],
  [
    'an unknown connector',
    'POST /v1/connections',
    json({ name: 'A', role: 'Source', connector: 'abacus' }),
    { status: 422, code: 'ConnectorNotExist', message: 'connector does not exist' },
  ],
  [
    'settings that are not valid',
    'POST /v1/connections',
    json({
      name: 'A',
      role: 'Destination',
      connector: 'http',
      settings: { url: 'ftp://example.com' },
    }),
    {
      status: 422,
      code: 'InvalidSettings',
      message: 'settings are not valid',
      path: '/settings/url',
    },
  ],
  [
    'a link to nothing',
    'POST /v1/connections',
    json({ name: 'A', role: 'Source', connector: 'nodejs', linkedConnections: ['nothing000000'] }),
    {
      status: 422,
      code: 'LinkedConnectionNotExist',
      message: 'linked connection does not exist',
      path: '/linkedConnections/0',
    },
  ],
  ['a connection that is none', 'GET /v1/connections/nothing000000', NONE, NO_CONNECTION],
  ['an id that cannot be', 'GET /v1/connections/%00', NONE, NO_CONNECTION],
  [
    'a link from a destination',
    'POST /v1/connections/{destination}/links/{source}',
    NONE,
    NO_CONNECTION,
  ],
  [
    'write keys of a destination',
    'GET /v1/connections/{destination}/event-write-keys',
    NONE,
    NO_CONNECTION,
  ],
  [
    'a write key that is none',
    `DELETE /v1/connections/{source}/event-write-keys/${'0'.repeat(32)}`,
    NONE,
    absent('EventWriteKeyNotExist', 'key does not exist'),
  ],
  [
    'the last write key',
    'DELETE /v1/connections/{source}/event-write-keys/{writeKey}',
    NONE,
    {
      status: 422,
      code: 'SingleEventWriteKey',
      message: "key cannot be deleted as it is the connection's only key",
    },
  ],
  ['a limit of another type', 'GET /v1/connections?limit=many', NONE, malformed('/limit')],
];

export const PIPELINES: Row[] = [
  [
    'a name of 61 characters',
    'POST /v1/pipelines',
    json({ ...PIPELINE, name: '😀'.repeat(61) }),
    malformed('/name'),
  ],
  [
    'enabled as a string',
    'POST /v1/pipelines',
    json({ ...PIPELINE, enabled: 'yes' }),
    malformed('/enabled'),
  ],
  [
    'a connection that is none',
    'POST /v1/pipelines',
    json({ ...PIPELINE, connection: 'nothing000000' }),
    { status: 422, code: 'ConnectionNotExist', message: 'connection does not exist' },
  ],
  [
    'an event type that is none',
    'POST /v1/pipelines',
    json({ ...PIPELINE, eventType: 'send_nothing' }),
    { status: 422, code: 'EventTypeNotExist', message: 'connection does not have event type' },
  ],
  [
    'a filter on nothing',
    'POST /v1/pipelines',
    json({ ...PIPELINE, filter: condition('color', 'is', 'red') }),
    malformed('/filter/conditions/0/property'),
  ],
  [
    'an operator that is none',
    'POST /v1/pipelines',
    json({ ...PIPELINE, filter: condition('event', 'is like', 'A') }),
    malformed('/filter/conditions/0/operator'),
  ],
  [
    'a mapping that is no expression',
    'POST /v1/pipelines',
    json({ ...PIPELINE, transformation: { mapping: { properties: 'lower(' } } }),
    malformed('/transformation/mapping/properties'),
  ],
  [
    'a transformation without outSchema',
    'POST /v1/pipelines',
    json({ ...PIPELINE, outSchema: null }),
    malformed('/outSchema'),
  ],
  [
    'no transformation where one is needed',
    'POST /v1/pipelines',
    json({ ...PIPELINE, transformation: null, outSchema: null }),
    {
      status: 422,
      code: 'SchemaNotAligned',
      message: 'output schema is not aligned with the event type schema',
      path: '/outSchema',
    },
  ],
  [
    'another language',
    'POST /v1/pipelines',
    json({
      ...PIPELINE,
      transformation: {
        function: {
          source: 'x',
          language: 'Ruby',
          preserveJSON: false,
          inPaths: [],
          outPaths: ['properties'],
        },
      },
    }),
    {
      status: 422,
      code: 'UnsupportedLanguage',
      message: 'transformation language is not supported',
    },
  ],
  [
    'a member that an update does not have',
    'PUT /v1/pipelines/{pipeline}',
    json({ name: 'P', eventType: 'send_event' }),
    malformed('/eventType'),
  ],
  ['a pipeline that is none', 'GET /v1/pipelines/nothing000000', NONE, NO_PIPELINE],
  ['an id that cannot be', 'DELETE /v1/pipelines/%2F', NONE, NO_PIPELINE],
];
