import {
  absent,
  expectRefused,
  json,
  malformed,
  malformedFilter,
  NO_CONNECTION,
  NONE,
  type Refused,
  refused,
} from '../refusal';
import { EVENT_FIELDS } from './event-fields';
import { answers, refuses, type Run, type Table } from '../table';
import { bearer, type Json, type World } from '../world';

const encoded = (value: object): string => encodeURIComponent(JSON.stringify(value));
const object = (...properties: object[]): Json => ({ kind: 'object', properties });

const TIME = '2026-03-01T09:30:00Z';
const EVENT = {
  connectionId: '{source}',
  anonymousId: 'ada',
  messageId: 'm1',
  type: 'track',
  event: 'Bad',
  traits: {},
  receivedAt: TIME,
  sentAt: TIME,
  originalTimestamp: TIME,
  timestamp: TIME,
};

const PREVIEW = {
  type: 'send_values',
  event: EVENT,
  transformation: { mapping: { properties: 'traits' } },
  outSchema: object({ name: 'properties', type: { kind: 'json' }, createRequired: true }),
};

const previewCall = (id: string): string => `POST /v1/connections/${id}/preview-send-event`;

const preview = (changes: object, because: Refused, connection = '{destination}'): Run =>
  refuses(previewCall(connection), json({ ...PREVIEW, ...changes }), because);

const previews = (changes: object, ending: string, console = ''): Run =>
  answers(previewCall('{destination}'), json({ ...PREVIEW, ...changes }), {
    preview: expect.stringMatching(
      new RegExp(`^POST http://[^\\n]+\\n[\\s\\S]*\\n\\n${ending}$`),
    ) as string,
    console,
  });

const transformationFailed = (kind: 'mapping' | 'function'): Refused =>
  refused('TransformationFailed', /^transformation failed: ./, `/transformation/${kind}`);

const withFunction = (source: string, members: object = {}) => ({
  transformation: { function: { source, language: 'JavaScript', preserveJSON: false, ...members } },
});

const NO_EVENT_TYPE = refused('EventTypeNotExist', 'connection does not have the event type');
const notCompatible = (path: string): Refused =>
  refused('SchemaNotAligned', "output schema is not compatible with the event type's schema", path);
const invalidEvent = (path: string): Refused => refused('InvalidEvent', 'event is invalid', path);

const without = (member: keyof typeof EVENT): object =>
  Object.fromEntries(Object.entries(EVENT).filter(([name]) => name !== member));

const ALWAYS = [
  'connectionId',
  'anonymousId',
  'messageId',
  'receivedAt',
  'sentAt',
  'originalTimestamp',
  'timestamp',
  'traits',
  'type',
] as const;

const USER_ID = object({ name: 'dummyId', type: { kind: 'string', maxLength: 50 } });
const USER = object(
  { name: 'dummyId', type: { kind: 'string', maxLength: 50 } },
  { name: 'email', type: { kind: 'string', maxLength: 254 } },
);
const users = (query: string): string => `GET /v1/connections/{application}/users?${query}`;
const NOT_ALIGNED = "schema is not aligned with the application's source schema";

/** Cases with ids that are no application of the required kind. */
const ofNone = (
  ids: Readonly<Record<string, string>>,
  call: (id: string) => string,
  body?: object,
): Record<string, Run> =>
  Object.fromEntries(
    Object.entries({ 'of nobody': 'nothing000000', impossible: '%00', ...ids }).map(
      ([name, id]): [string, Run] => [
        name,
        refuses(call(id), body === undefined ? NONE : json(body), NO_CONNECTION),
      ],
    ),
  );

export const APPLICATIONS: Table = {
  'the event schema: every field of an event and its type': EVENT_FIELDS,
  'Preview: answers the request that would be sent': {
    'by a mapping': previews({}, '\\{\\}'),
    'by a function': previews(
      withFunction('const transform = ({ messageId }) => ({ properties: { id: messageId } });'),
      '\\{"id":"m1"\\}',
    ),
    'by a function in Python': previews(
      withFunction('def transform(event):\n    return {"properties": event["messageId"]}\n', {
        language: 'Python',
      }),
      '"m1"',
    ),
    'without a transformation': previews(
      { type: 'send_event', transformation: null, outSchema: null },
      '\\{[^\\n]*"messageId":"m1"[^\\n]*\\}',
    ),
    'transformation and outSchema omitted': previews(
      { type: 'send_event', transformation: undefined, outSchema: undefined },
      '\\{[^\\n]*\\}',
    ),
    'with inPaths and outPaths': previews(
      withFunction('const transform = (event) => ({ properties: Object.keys(event) });', {
        inPaths: ['messageId'],
        outPaths: ['properties'],
      }),
      '\\["messageId"\\]',
    ),
  },
  'Preview: masks secrets': async (world) => {
    const token = 'a-secret-token-of-the-receiver';
    const connection = await world.made('POST /v1/connections', {
      name: 'D',
      role: 'Destination',
      connector: 'http',
      settings: { url: world.receiver.url, auth: { type: 'bearer', token } },
    });
    const { status, text } = await world.ask(previewCall(connection), json(PREVIEW));
    expect(status).toBe(200);
    expect(text).toContain('Authorization: Bearer ••••iver');
    expect(text).not.toContain(token);
  },
  'Preview: delivers nothing': async (world) => {
    const messageId = `previewed-${world.ids.workspace}`;
    const event = { ...EVENT, messageId };
    await previews(
      { event, transformation: { mapping: { properties: 'messageId' } } },
      `"${messageId}"`,
    )(world);
    expect(JSON.stringify(world.receiver.attempts.map(({ body }) => body))).not.toContain(
      messageId,
    );
  },
  'Preview: connection does not exist': ofNone(
    { 'a source': '{source}', 'an application without events': '{application}' },
    previewCall,
    PREVIEW,
  ),
  'Preview: type is required': {
    missing: preview({ type: undefined }, malformed('/type')),
    'a number': preview({ type: 1 }, malformed('/type')),
    '0': preview({ type: '' }, malformed('/type')),
    '1': preview({ type: 'e' }, NO_EVENT_TYPE),
    '100': preview({ type: '😀'.repeat(100) }, NO_EVENT_TYPE),
    '101': preview({ type: '😀'.repeat(101) }, malformed('/type')),
  },
  'Preview: unknown members are refused': preview({ filter: null }, malformed('/filter')),
  'Preview: connection does not have the event type': preview(
    { type: 'send_nothing' },
    NO_EVENT_TYPE,
  ),
  'Preview: event is required and an object': {
    missing: preview({ event: undefined }, malformed('/event')),
    'no object': preview({ event: [] }, malformed('/event')),
  },
  'Preview: event is invalid': {
    ...Object.fromEntries(
      ALWAYS.map((member) => [
        `without ${member}`,
        preview({ event: without(member) }, invalidEvent(`/event/${member}`)),
      ]),
    ),
    'another type': preview(
      { event: { ...EVENT, receivedAt: 5 } },
      invalidEvent('/event/receivedAt'),
    ),
    'a type that is none': preview(
      { event: { ...EVENT, type: 'buy' } },
      invalidEvent('/event/type'),
    ),
    'an unknown member': preview(
      { event: { ...EVENT, colour: 'red' } },
      invalidEvent('/event/colour'),
    ),
    'a browser that is none': preview(
      { event: { ...EVENT, context: { browser: { name: 'Netscape' } } } },
      invalidEvent('/event/context/browser/name'),
    ),
    'a width beyond 16 bits': preview(
      { event: { ...EVENT, context: { screen: { width: 32_768 } } } },
      invalidEvent('/event/context/screen/width'),
    ),
    'a density beyond its precision': preview(
      { event: { ...EVENT, context: { screen: { density: 10 } } } },
      invalidEvent('/event/context/screen/density'),
    ),
    'an address that is none': preview(
      { event: { ...EVENT, context: { ip: 'localhost' } } },
      invalidEvent('/event/context/ip'),
    ),
  },
  'Preview: function of source, language and preserveJSON': {
    'source of 0': preview(withFunction(''), malformed('/transformation/function/source')),
    'source of 50,000': previews(
      withFunction('const transform = () => ({ properties: 1 });//'.padEnd(50_000, 'x')),
      '1',
    ),
    'source of 50,001': preview(
      withFunction('const transform = () => ({ properties: 1 });//'.padEnd(50_001, 'x')),
      malformed('/transformation/function/source'),
    ),
    'no language': preview(
      withFunction('x', { language: undefined }),
      malformed('/transformation/function/language'),
    ),
    'no preserveJSON': preview(
      withFunction('x', { preserveJSON: undefined }),
      malformed('/transformation/function/preserveJSON'),
    ),
    'no outPaths in a list of them': preview(
      withFunction('x', { outPaths: [] }),
      malformed('/transformation/function/outPaths'),
    ),
    'an unknown member': preview(
      withFunction('x', { timeout: 1 }),
      malformed('/transformation/function/timeout'),
    ),
    'preserveJSON true': previews(
      withFunction('const transform = ({ traits }) => ({ properties: traits });', {
        preserveJSON: true,
      }),
      '\\{\\}',
    ),
  },
  'Preview: order of checks': {
    'members before connection': refuses(
      previewCall('nothing000000'),
      json({ ...PREVIEW, type: '' }),
      malformed('/type'),
    ),
    'connection before event type': refuses(
      previewCall('nothing000000'),
      json({ ...PREVIEW, type: 'send_nothing' }),
      NO_CONNECTION,
    ),
  },
  'Preview: transformation language is not supported': preview(
    withFunction('x', { language: 'Ruby' }),
    refused('UnsupportedLanguage', 'transformation language is not supported'),
  ),
  "Preview: output schema is not compatible with the event type's schema": {
    'no transformation where a property is required': preview(
      { transformation: null, outSchema: null },
      notCompatible('/outSchema'),
    ),
    'a transformation where the event type has no schema': preview(
      { type: 'send_event' },
      notCompatible('/outSchema'),
    ),
    'another type': preview(
      {
        transformation: { mapping: { properties: 'event' } },
        outSchema: object({ name: 'properties', type: { kind: 'string' }, createRequired: true }),
      },
      notCompatible('/outSchema/properties/0'),
    ),
  },
  'Preview: transformation and outSchema go together': {
    'a transformation without': preview({ outSchema: null }, malformed('/outSchema')),
    'an outSchema without': preview({ transformation: null }, malformed('/transformation')),
    'both kinds': preview(
      {
        transformation: {
          mapping: { properties: 'traits' },
          ...withFunction('x').transformation,
        },
      },
      malformed('/transformation'),
    ),
    'a mapping that is no expression': preview(
      { transformation: { mapping: { properties: 'lower(' } } },
      malformed('/transformation/mapping/properties'),
    ),
  },
  'Preview: transformation failed': {
    'an expression that fails': preview(
      { transformation: { mapping: { properties: 'json_parse(event)' } } },
      transformationFailed('mapping'),
    ),
    'a function that throws': preview(
      withFunction('const transform = () => { throw new Error("no way"); };'),
      transformationFailed('function'),
    ),
    'a function that gives something else': preview(
      withFunction('const transform = () => 5;'),
      transformationFailed('function'),
    ),
  },
  'Preview: shows what the function wrote to its console': {
    'of a function': previews(
      withFunction(
        'const transform = () => { console.log("seen", 5); return { properties: 1 }; };',
      ),
      '1',
      'seen 5\n',
    ),
    'of a mapping: nothing': previews({}, '\\{\\}', ''),
  },
  'Preview: a failure shows the values before the step': async (world) => {
    const { status, text } = await world.ask(
      previewCall('{destination}'),
      json({
        ...PREVIEW,
        ...withFunction('const transform = () => { console.log("seen"); throw 5; };', {
          inPaths: ['messageId'],
          outPaths: ['properties'],
        }),
      }),
    );
    expect(status).toBe(422);
    expect(JSON.parse(text)).toMatchObject({
      error: {
        details: [
          {
            path: '/transformation/function',
            step: 'Transformation',
            values: { messageId: 'm1' },
            console: 'seen\n',
          },
        ],
      },
    });
  },
  'Preview: scope read is enough': async (world) => {
    const headers = { ...bearer((await world.key({ scope: 'read' })).key), ...json({}).headers };
    const { status } = await world.ask(previewCall('{destination}'), {
      ...json(PREVIEW),
      headers,
    });
    expect(status).toBe(200);
  },
  'Users: connection does not exist': ofNone(
    { 'a source of events': '{source}', 'a destination of events': '{destination}' },
    (id) => `GET /v1/connections/${id}/users?schema=${encoded(USER_ID)}`,
  ),
  'Users: schema is required and a schema': {
    missing: refuses(users(''), NONE, malformed('/schema')),
    'no JSON': refuses(users('schema=%7B'), NONE, malformed('/schema')),
    'no object': refuses(users('schema=5'), NONE, malformed('/schema')),
    'no schema': refuses(
      users(`schema=${encoded(object())}`),
      NONE,
      malformed('/schema/properties'),
    ),
  },
  "Users: schema is not aligned with the application's source schema": {
    'a property that there is not': refuses(
      users(`schema=${encoded(object({ name: 'age', type: { kind: 'year' } }))}`),
      NONE,
      refused('SchemaNotAligned', NOT_ALIGNED, '/schema/properties/0'),
    ),
    'another type': refuses(
      users(`schema=${encoded(object({ name: 'dummyId', type: { kind: 'int', bitSize: 8 } }))}`),
      NONE,
      refused('SchemaNotAligned', NOT_ALIGNED, '/schema/properties/0'),
    ),
  },
  'Users: users with the properties of the schema': async (world) => {
    const { users: got } = await world.done(users(`schema=${encoded(USER)}`));
    expect(got).toHaveLength(10);
    for (const user of got as object[])
      expect(Object.keys(user).sort()).toEqual(['dummyId', 'email']);
  },
  'Users: filter, only matching users': {
    matching: async (world) => {
      const filter = {
        logical: 'and',
        conditions: [
          { property: 'dummyId', operator: 'is one of', values: ['dummy-2', 'dummy-3'] },
        ],
      };
      const { users: got } = await world.done(
        users(`schema=${encoded(USER_ID)}&filter=${encoded(filter)}`),
      );
      expect(got).toEqual([{ dummyId: 'dummy-2' }, { dummyId: 'dummy-3' }]);
    },
    'an empty one': answers(users(`schema=${encoded(USER_ID)}&filter=%7B%7D`), NONE, {
      users: expect.any(Array) as unknown[],
    }),
    'on what was not asked for': refuses(
      users(
        `schema=${encoded(USER_ID)}&filter=${encoded({
          logical: 'and',
          conditions: [{ property: 'email', operator: 'is', values: ['a'] }],
        })}`,
      ),
      NONE,
      malformedFilter('/filter/conditions/0/property'),
    ),
    'no filter': refuses(users(`schema=${encoded(USER_ID)}&filter=5`), NONE, malformed('/filter')),
    'no JSON': refuses(users(`schema=${encoded(USER_ID)}&filter=%7B`), NONE, malformed('/filter')),
    'an empty text': answers(users(`schema=${encoded(USER_ID)}&filter=`), NONE, {
      users: expect.any(Array) as unknown[],
    }),
    twice: refuses(
      users(`schema=${encoded(USER_ID)}&filter=%7B%7D&filter=%7B%7D`),
      NONE,
      malformed('/filter'),
    ),
  },
  'Users: cursor, missing or empty for the first set, empty at the end': {
    'page by page': async (world) => {
      const id = await world.made('POST /v1/connections', {
        name: 'Paged',
        role: 'Source',
        connector: 'dummy',
        settings: { userCount: 5, pageSize: 2 },
      });
      const seen: unknown[] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined;) {
        const set = await world.done(
          `GET /v1/connections/${id}/users?schema=${encoded(USER_ID)}&cursor=${encodeURIComponent(cursor)}`,
        );
        seen.push(...(set['users'] as { dummyId: string }[]).map(({ dummyId }) => dummyId));
        cursor = set['cursor'] === '' ? undefined : String(set['cursor']);
      }
      expect(seen).toEqual(['dummy-1', 'dummy-2', 'dummy-3', 'dummy-4', 'dummy-5']);
    },
    'empty and missing': async (world) => {
      const [missing, empty] = [
        await world.done(users(`schema=${encoded(USER_ID)}`)),
        await world.done(users(`schema=${encoded(USER_ID)}&cursor=`)),
      ];
      expect(empty).toEqual(missing);
      expect(missing['cursor']).toBe('');
    },
    'one that is none': refuses(
      users(`cursor=x&schema=${encoded(USER_ID)}`),
      NONE,
      malformed('/cursor'),
    ),
  },
  'Users: an application that fails is 503 with Retry-After': async (world) => {
    const id = await world.made('POST /v1/connections', {
      name: 'Failing',
      role: 'Source',
      connector: 'dummy',
      settings: { failures: [{ operation: 'read', at: 1, times: 100, status: 500 }] },
    });
    const answer = await world.ask(`GET /v1/connections/${id}/users?schema=${encoded(USER_ID)}`);
    expectRefused(answer, {
      status: 503,
      code: 'ServiceUnavailable',
      message: /^service is unavailable: the application: ./,
    });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  },
  'User schemas: source and destination': {
    'of a source': async (world) => {
      const { schemas } = await world.done('GET /v1/connections/{application}/schemas/user');
      expect(schemas).toMatchObject({ source: { kind: 'object' }, destination: null });
    },
    'of a destination': async (world) => {
      const id = await world.made('POST /v1/connections', {
        name: 'D',
        role: 'Destination',
        connector: 'dummy',
      });
      const { schemas } = await world.done(`GET /v1/connections/${id}/schemas/user`);
      expect(schemas).toMatchObject({ destination: { kind: 'object' } });
      const { destination } = schemas as { destination: { properties: Json[] } };
      expect(destination.properties).toContainEqual(
        expect.objectContaining({ name: 'email', createRequired: true }),
      );
    },
  },
  'User schemas: connection does not exist': ofNone(
    { 'a source of events': '{source}', 'an application without users': '{destination}' },
    (id) => `GET /v1/connections/${id}/schemas/user`,
  ),
  'Event type schema: the schema, null when there is none': {
    'a schema': answers('GET /v1/connections/{destination}/schemas/event?type=send_values', NONE, {
      schema: {
        kind: 'object',
        properties: [{ name: 'properties', type: { kind: 'json' }, createRequired: true }],
      },
    }),
    none: answers('GET /v1/connections/{destination}/schemas/event?type=send_event', NONE, {
      schema: null,
    }),
    prefilled: async (world) => {
      const id = await world.made('POST /v1/connections', {
        name: 'D',
        role: 'Destination',
        connector: 'dummy',
      });
      const { schema } = await world.done(
        `GET /v1/connections/${id}/schemas/event?type=send_add_to_cart`,
      );
      expect((schema as { properties: Json[] }).properties).toContainEqual(
        expect.objectContaining({ name: 'email', prefilled: 'traits.email', createRequired: true }),
      );
    },
  },
  'Event type schema: type is required': {
    missing: refuses('GET /v1/connections/{destination}/schemas/event', NONE, malformed('/type')),
    empty: refuses(
      'GET /v1/connections/{destination}/schemas/event?type=',
      NONE,
      malformed('/type'),
    ),
  },
  'Event type schema: connection does not exist': ofNone(
    { 'a source': '{source}', 'a source application': '{application}' },
    (id) => `GET /v1/connections/${id}/schemas/event?type=send_identity`,
  ),
  'Event type schema: event type does not exist': refuses(
    'GET /v1/connections/{destination}/schemas/event?type=send_nothing',
    NONE,
    absent('EventTypeNotExist', 'event type does not exist'),
  ),
  'a connection of another workspace is the same 404': async (world: World) => {
    const { ids } = await world.neighbour();
    for (const call of [
      `GET /v1/connections/${ids.application}/users?schema=${encoded(USER_ID)}`,
      `GET /v1/connections/${ids.application}/schemas/user`,
      `GET /v1/connections/${ids.destination}/schemas/event?type=send_event`,
    ])
      expectRefused(await world.ask(call), NO_CONNECTION);
    expectRefused(await world.ask(previewCall(ids.destination), json(PREVIEW)), NO_CONNECTION);
  },
};
