import { DummyStore } from '@penstock/connectors';
import {
  type ConnectionId,
  type ListApplicationUsers,
  type PreviewSendEvent,
  type RefusalDetail,
  TOPIC,
  type WorkspaceId,
} from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import { anEvent } from '../testing/event.fixture';
import { Installation } from '../testing/installation.fixture';
import { aFunction, CART, mapped } from '../testing/pipeline.fixture';

jest.setTimeout(60_000);

let installation: Installation;
let source: ConnectionId;
let destination: ConnectionId;
let http: ConnectionId;

const toHttp = (settings: object): Promise<ConnectionId> =>
  installation.destination({ connector: 'http', settings: installation.sealed(settings) });

const users = (settings: object): Promise<ConnectionId> =>
  installation.source({ connector: 'dummy', settings: installation.sealed(settings) });

beforeAll(async () => {
  installation = await Installation.open();
  await installation.start();
  elsewhere.workspace = await installation.bareWorkspace();
  source = await users({ userCount: 25, pageSize: 10 });
  destination = await installation.destination();
  http = await toHttp({
    url: 'https://example.com/in',
    auth: { type: 'bearer', token: 'secret-token-1234' },
  });
});

afterAll(() => installation.close());

const like = (members: object): unknown => expect.objectContaining(members);
const at = (...paths: readonly string[]): unknown[] => paths.map((path) => like({ path }));
const absent = { code: 'ConnectionNotExist', kind: 'absent' };
const json = (value: unknown): string => JSON.stringify(value);
const parsed = (text: string | null): unknown => JSON.parse(text ?? 'null');

/** Another workspace. */
const elsewhere: { workspace?: WorkspaceId } = {};

/** Connections that have neither event types nor users. */
const OTHERS: readonly [string, () => Promise<string> | string][] = [
  ['an id that nothing can have', () => 'no\0'],
  ['an id that nothing has', () => newId()],
  ['an SDK source', () => installation.source()],
];

describe('the schema of an event type', () => {
  const schemaOf = (connection: string, eventType: string, context = {}) =>
    installation.query('GetEventTypeSchema', { connection, eventType }, context);

  it('is that of the connector, or `null`', async () => {
    const { schema } = await schemaOf(destination, 'send_add_to_cart');
    expect(parsed(schema)).toMatchObject({
      properties: [
        { name: 'email', prefilled: 'traits.email', createRequired: true },
        { name: 'itemName' },
        { name: 'itemId' },
      ],
    });
    expect(await schemaOf(http, 'send_event')).toEqual({ schema: null });
  });

  it('does not exist for another event type', async () => {
    await expect(schemaOf(destination, 'send_event')).rejects.toMatchObject({
      code: 'EventTypeNotExist',
      kind: 'absent',
      message: 'event type does not exist',
    });
  });

  it.each([...OTHERS, ['an application that is a source', () => source] as const])(
    'is none of %s',
    async (_, id) => {
      await expect(schemaOf(await id(), 'send_event')).rejects.toMatchObject(absent);
    },
  );

  it('does not exist in another workspace', async () => {
    await expect(schemaOf(destination, 'send_identity', elsewhere)).rejects.toMatchObject(absent);
  });
});

describe('the schemas of users', () => {
  const schemasOf = (connection: string, context = {}) =>
    installation.query('GetUserSchemas', { connection }, context);

  it('are one schema on a source and two on a destination', async () => {
    const [of, to] = [await schemasOf(source), await schemasOf(destination)];
    expect(parsed(of.source)).toMatchObject({
      properties: [{ name: 'dummyId' }, {}, {}, {}, {}, {}, {}, {}],
    });
    expect(of.destination).toBeNull();
    expect(to.source).toBe(of.source);
    expect(parsed(to.destination)).toMatchObject({
      properties: expect.arrayContaining([
        like({ name: 'email', createRequired: true }),
      ]) as unknown,
    });
  });

  it.each([...OTHERS, ['an application without users', () => http] as const])(
    'are none of %s',
    async (_, id) => {
      await expect(schemasOf(await id())).rejects.toMatchObject(absent);
    },
  );

  it('do not exist in another workspace', async () => {
    await expect(schemasOf(source, elsewhere)).rejects.toMatchObject(absent);
  });
});

const ID = { name: 'dummyId', type: { kind: 'string', maxLength: 50 } };
const MOVIE = { name: 'favourite_movie', type: { kind: 'string' }, readOptional: true };
const schemaOf = (...properties: object[]): string => json({ kind: 'object', properties });

describe('users', () => {
  const list = (changes: Partial<ListApplicationUsers> = {}, context = {}) =>
    installation.query(
      'ListApplicationUsers',
      { connection: source, schema: schemaOf(ID), filter: null, cursor: '', ...changes },
      context,
    );

  it('are listed page by page, with the requested properties', async () => {
    const seen: unknown[] = [];
    const sizes: number[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const set = await list({ cursor, schema: schemaOf(MOVIE, ID) });
      sizes.push(set.users.length);
      seen.push(...set.users.map(parsed));
      cursor = set.cursor === '' ? null : set.cursor;
    }
    expect(sizes).toEqual([10, 10, 5]);
    expect(seen.slice(0, 2)).toEqual([
      { dummyId: 'dummy-1' },
      { favourite_movie: 'Solaris', dummyId: 'dummy-2' },
    ]);
    expect(new Set(seen.map((user) => (user as { dummyId: string }).dummyId)).size).toBe(25);
  });

  it('are filtered', async () => {
    const filter = json({
      logical: 'and',
      conditions: [
        { property: 'favourite_movie', operator: 'exists' },
        { property: 'dummyId', operator: 'is not', values: ['dummy-4'] },
      ],
    });
    const found = await list({ filter, schema: schemaOf(ID, MOVIE) });
    expect(found.users.map((user) => (parsed(user) as { dummyId: string }).dummyId)).toEqual([
      'dummy-2',
      'dummy-6',
      'dummy-8',
      'dummy-10',
    ]);
  });

  it('fit into an answer, however large the page', async () => {
    const connection = await users({ userCount: 10_000, pageSize: 10_000 });
    const schemas = await installation.query('GetUserSchemas', { connection });
    const first = await list({ connection, schema: schemas.source });
    expect(first.users.length).toBeGreaterThan(1_000);
    const second = await list({ connection, schema: schemas.source, cursor: first.cursor });
    expect(parsed(second.users[0] ?? null)).toMatchObject({
      dummyId: `dummy-${String(first.users.length + 1)}`,
    });
  });

  it.each([
    ['no schema', { schema: '{}' }, at('/schema/kind')],
    ['a schema of another kind', { schema: '{"kind":"json"}' }, at('/schema/kind')],
    [
      'a filter on a property that was not requested',
      {
        filter: json({
          logical: 'and',
          conditions: [{ property: 'email', operator: 'is', values: ['a'] }],
        }),
      },
      at('/filter/conditions/0/property'),
    ],
    ['no filter', { filter: '{"logical":"xor"}' }, at('/filter/logical', '/filter/conditions')],
    ['a cursor of another form', { cursor: 'next' }, at('/cursor')],
    [
      'a cursor of no page',
      { cursor: `0.${Buffer.from('x').toString('base64url')}` },
      at('/cursor'),
    ],
  ])('are refused with %s', async (_, changes, details) => {
    await expect(list(changes)).rejects.toMatchObject({ code: 'BadRequest', details });
  });

  it('are refused with a schema that differs, a detail for each difference', async () => {
    const schema = schemaOf(
      { ...ID, type: { kind: 'string' } },
      { ...MOVIE, readOptional: false },
      { name: 'age', type: { kind: 'year' } },
    );
    await expect(list({ schema })).rejects.toMatchObject({
      code: 'SchemaNotAligned',
      kind: 'refused',
      message: "schema is not aligned with the application's source schema",
      details: at('/schema/properties/0', '/schema/properties/1', '/schema/properties/2'),
    });
  });

  it.each([...OTHERS, ['an application without users', () => http] as const])(
    'are none of %s',
    async (_, id) => {
      await expect(list({ connection: await id() })).rejects.toMatchObject(absent);
    },
  );

  it('do not exist in another workspace', async () => {
    await expect(list({}, elsewhere)).rejects.toMatchObject(absent);
  });

  it.each([500, 404, 'timeout'])(
    'cannot be had from an application that answers %s',
    async (status) => {
      const failures = [{ operation: 'read', at: 1, times: 1, status }];
      const connection = await users({ failures });
      await expect(list({ connection })).rejects.toMatchObject({
        code: 'ServiceUnavailable',
        kind: 'unavailable',
        message: expect.stringMatching(/^service is unavailable: the application: ./) as string,
      });
      expect((await list({ connection })).users).toHaveLength(10);
    },
  );

  it('delay no other request of the connection while the application is slow', async () => {
    // With twice the delay where the others took longer than that: they may be slow themselves.
    for (let delaySeconds = 1; ; delaySeconds *= 2) {
      const connection = await users({ operationDelay: `${String(delaySeconds)}s` });
      let isListed = false;
      const beganMs = performance.now();
      const slow = list({ connection }).then(() => (isListed = true));
      await installation.command('UpdateConnection', { id: connection, name: 'Renamed' });
      const { name } = await installation.read('GetConnection', { id: connection });
      const wasListed = isListed;
      const tookMs = performance.now() - beganMs;
      await slow;
      expect(name).toBe('Renamed');
      if (tookMs >= delaySeconds * 1_000) continue;
      expect(wasListed).toBe(false);
      break;
    }
  });
});

describe('a preview', () => {
  const preview = (changes: Partial<PreviewSendEvent> = {}, context = {}) =>
    installation.query(
      'PreviewSendEvent',
      {
        connection: destination,
        eventType: 'send_add_to_cart',
        event: anEvent(),
        ...mapped,
        ...changes,
      },
      context,
    );
  const bodyOf = async (changes: Partial<PreviewSendEvent>): Promise<unknown> => {
    const { preview: text } = await preview(changes);
    return JSON.parse(text.slice(text.indexOf('\n\n') + 2)) as unknown;
  };
  const fn = (members: object, of: object = {}): Partial<PreviewSendEvent> => ({
    transformation: json({ function: { language: 'JavaScript', preserveJSON: false, ...members } }),
    ...of,
  });

  it('is the request as it would be sent, secrets masked, of an event to the last digit', async () => {
    const event = anEvent().replace('"Tea"', '1.50, "n": 12345678901234567890');
    const of = { connection: http, eventType: 'send_event', transformation: null, outSchema: null };
    const { preview: text } = await preview({ ...of, event });
    expect(text.split('\n')).toEqual([
      'POST https://example.com/in',
      expect.stringMatching(/^User-Agent: penstock\//),
      'Content-Type: application/json',
      'Authorization: Bearer ••••1234',
      expect.stringMatching(/^Idempotency-Key: [\w-]{32}$/),
      '',
      expect.stringContaining('"properties":{"name":1.50,"n":12345678901234567890}'),
    ]);
  });

  it('has the values of a mapping', async () => {
    expect(await bodyOf({})).toMatchObject({
      type: 'send_add_to_cart',
      messageId: 'message-1',
      values: { email: 'ada@example.com', itemName: 'Tea' },
    });
  });

  it('has the values of a function, whose input is the whole event when it has no paths', async () => {
    const joining = `const transform = (event) => ({
      email: [event.type, event.messageId, event.traits.email].join(' '),
    });`;
    expect(await bodyOf(fn({ source: joining }))).toMatchObject({
      values: { email: 'track message-1 ada@example.com' },
    });
  });

  it('has the values of a function with paths', async () => {
    const sorting = 'def transform(event):\n  return {"email": str(sorted(event))}';
    const language = 'Python';
    expect(
      await bodyOf(
        fn({ source: sorting, language, inPaths: ['traits', 'type'], outPaths: ['email'] }),
      ),
    ).toMatchObject({ values: { email: "['traits', 'type']" } });
  });

  describe('contains the console of a function', () => {
    const writing = (text: string): Partial<PreviewSendEvent> =>
      fn({
        source: `const transform = () => { console.log(${text}); return { email: 'a' }; };`,
      });

    it.each([
      ['nothing', '', ''],
      ['a line', '"Zoë", 5', 'Zoë 5\n'],
      ['what just fits', '"é".repeat(16_383) + "x"', `${'é'.repeat(16_383)}x\n`],
      ['more', '"é".repeat(16_384)', 'é'.repeat(16_384)],
    ])('%s', async (_, text, console) => {
      const changes = text === '' ? {} : writing(text);
      expect((await preview(changes)).console).toBe(console);
    });

    it('in Python', async () => {
      const text = 'def transform(event):\n  print("Zoë", 5)\n  return {"email": "a"}';
      expect((await preview(fn({ source: text, language: 'Python' }))).console).toBe('Zoë 5\n');
    });

    it('at the expense of a very long request, whatever the characters', async () => {
      const properties = { text: '\u0001'.repeat(80_000) };
      const { console, preview: text } = await preview({
        eventType: 'send_generic_event',
        event: anEvent({ properties }),
        outSchema: schemaOf({ name: 'properties', type: { kind: 'json' } }),
        ...fn({
          source: `const transform = ({ properties }) => {
            console.log('\\u0001'.repeat(40_000));
            return { properties };
          }`,
        }),
      });
      expect(console).toHaveLength(32_768);
      expect(text).toHaveLength(110_000 - 32_768 + 1);
    });
  });

  describe('that fails contains the input of the failed step', () => {
    const detailOf = async (changes: Partial<PreviewSendEvent>): Promise<unknown> => {
      const failed = await preview(changes).catch((error: unknown) => error);
      const { details } = failed as { readonly details: readonly RefusalDetail[] };
      expect(details).toHaveLength(1);
      const { values, ...others } = details[0] ?? { path: '', message: '' };
      return { ...others, values: parsed(values ?? null) };
    };
    const writing = 'console.log("seen");';
    const inFunction = { path: '/transformation/function', console: 'seen\n' };
    const inMapping = { path: '/transformation/mapping', console: '' };

    it('for an expression: the properties of the event that the mapping reads', async () => {
      const mapping = { email: 'traits.email.x', itemName: 'context.page.url' };
      const context = { page: { url: 'https://shop', title: 'Shop' } };
      const changes = { event: anEvent({ context }), transformation: json({ mapping }) };
      expect(await detailOf(changes)).toMatchObject({
        ...inMapping,
        step: 'Transformation',
        values: {
          traits: { email: 'ada@example.com' },
          context: { page: { url: 'https://shop' } },
        },
      });
    });

    it('for the validation of the output: the values of the expressions', async () => {
      const mapping = { email: 'null', itemName: 'properties.name' };
      expect(await detailOf({ transformation: json({ mapping }) })).toEqual({
        ...inMapping,
        step: 'OutputValidation',
        message: expect.stringMatching(/required/) as string,
        values: { itemName: 'Tea' },
      });
    });

    it('for a function: its input', async () => {
      const text = `const transform = () => { ${writing} throw new Error('no'); }`;
      const changes = fn({ source: text, inPaths: ['traits', 'type'], outPaths: ['email'] });
      expect(await detailOf(changes)).toEqual({
        ...inFunction,
        step: 'Transformation',
        message: expect.stringMatching(/^JavaScript: Error: no/) as string,
        values: { type: 'track', traits: { email: 'ada@example.com' } },
      });
    });

    it('for the validation of the output: the values of the function', async () => {
      const text = `const transform = () => { ${writing} return { email: 5, itemName: 'x' }; }`;
      expect(await detailOf(fn({ source: text }))).toMatchObject({
        ...inFunction,
        step: 'OutputValidation',
        values: { email: 5, itemName: 'x' },
      });
    });

    it('as far as it fits into an answer', async () => {
      const text = 'const transform = () => { throw new Error("no"); }';
      const failing = (length: number) =>
        detailOf({
          ...fn({ source: text, inPaths: ['properties', 'type'], outPaths: ['email'] }),
          event: anEvent({ properties: { text: 'x'.repeat(length) } }),
        });
      const frame = '{"type":"track"}'.length + '{"properties":{"text":""}}'.length;
      const whole = { text: 'x'.repeat(60_000 - frame) };
      const fits = await failing(60_000 - frame);
      expect(fits).toMatchObject({ values: { properties: whole, type: 'track' } });
      expect(fits).not.toHaveProperty('isCut');
      const cut = await failing(60_001 - frame);
      expect(cut).toMatchObject({ isCut: true, values: { properties: {} } });
      expect(cut).not.toHaveProperty('values.type');
      expect(await failing(60_000)).toMatchObject({ isCut: true, values: { type: 'track' } });
    });
  });

  describe('for an application with rules of its own', () => {
    const LOGIN = { eventType: 'login', transformation: null, outSchema: null };
    let analytics: ConnectionId;

    beforeAll(async () => {
      const settings = { measurementID: 'G-12345', apiSecret: 'secret-of-analytics' };
      analytics = await installation.destination({
        connector: 'google-analytics',
        settings: installation.sealed(settings),
      });
    });

    it('contains no secret in the URL', async () => {
      const event = anEvent({ timestamp: new Date().toISOString() });
      const { preview: text } = await preview({ connection: analytics, ...LOGIN, event });
      expect(text).toMatch(/^POST https:\/\/www\.google-analytics\.com\//);
      expect(text).not.toContain('secret-of-analytics');
    });

    it('is refused for an event that could never be sent', async () => {
      const event = anEvent({ timestamp: '2020-01-01T00:00:00Z' });
      await expect(preview({ connection: analytics, ...LOGIN, event })).rejects.toMatchObject({
        code: 'InvalidEvent',
        kind: 'refused',
        message: 'event is invalid',
        details: [{ path: '/event', message: expect.any(String) as string }],
      });
    });

    it('contains the values with which such an event would be sent', async () => {
      const refused = preview({
        connection: analytics,
        eventType: 'login',
        transformation: json({ mapping: { method: 'event' } }),
        outSchema: schemaOf({ name: 'method', type: { kind: 'string' } }),
        event: anEvent({ event: 'Password', timestamp: '2020-01-01T00:00:00Z' }),
      });
      await expect(refused).rejects.toMatchObject({
        code: 'InvalidEvent',
        details: [
          { path: '/event', step: 'Finalize', values: '{"method":"Password"}', console: '' },
        ],
      });
    });
  });

  it('delivers nothing', async () => {
    await preview();
    expect(await new DummyStore(installation.pool).list(destination)).toEqual([]);
  });

  it('contains the beginning of a very long request', async () => {
    const properties = { text: 'x'.repeat(200_000) };
    const of = { eventType: 'send_generic_event' };
    const outSchema = schemaOf({ name: 'properties', type: { kind: 'json' } });
    const transformation = json({ mapping: { properties: 'properties' } });
    const { preview: text } = await preview({
      ...of,
      outSchema,
      transformation,
      event: anEvent({ properties }),
    });
    expect(text).toHaveLength(110_001);
    expect(text.endsWith('x…')).toBe(true);
  });

  const REFUSED: readonly [string, Partial<PreviewSendEvent>, object][] = [
    [
      'a transformation that is none, before the connection',
      { connection: 'nothing000000', transformation: '{}' },
      { code: 'BadRequest', details: at('/transformation') },
    ],
    ['a connection that is none', { connection: 'nothing000000' }, absent],
    [
      'an event type that is none',
      { eventType: 'send_nothing', event: '{}' },
      {
        code: 'EventTypeNotExist',
        kind: 'refused',
        message: 'connection does not have the event type',
      },
    ],
    [
      'a mapping that is no expression, before the event',
      { transformation: json({ mapping: { email: 'lower(' } }), event: '{}' },
      { code: 'BadRequest', details: [like({ path: '/transformation/mapping/email' }), {}] },
    ],
    [
      'a transformation without outSchema',
      { outSchema: null },
      { code: 'BadRequest', details: at('/outSchema') },
    ],
    [
      'an outSchema without a transformation',
      { transformation: null },
      { code: 'BadRequest', details: at('/transformation') },
    ],
    [
      'another language, before the event',
      { ...fn({ source: 's', language: 'Ruby' }), event: '{}' },
      { code: 'UnsupportedLanguage', message: 'transformation language is not supported' },
    ],
    [
      'an event that is none, before the schema',
      {
        event: anEvent({ type: 'buy', receivedAt: 5, traits: undefined, color: 'red' }),
        outSchema: schemaOf({ name: 'email', type: { kind: 'string' } }),
        transformation: json({ mapping: { email: 'event' } }),
      },
      {
        code: 'InvalidEvent',
        kind: 'refused',
        message: 'event is invalid',
        details: expect.arrayContaining(
          at('/event/type', '/event/receivedAt', '/event/traits', '/event/color'),
        ) as unknown,
      },
    ],
    [
      'a schema that differs',
      {
        outSchema: schemaOf({ name: 'email', type: { kind: 'string' } }),
        transformation: json({ mapping: { email: 'event' } }),
      },
      {
        code: 'SchemaNotAligned',
        kind: 'refused',
        message: "output schema is not compatible with the event type's schema",
        details: at('/outSchema/properties/0'),
      },
    ],
    [
      'no transformation where a property is required',
      { transformation: null, outSchema: null },
      { code: 'SchemaNotAligned', details: at('/outSchema') },
    ],
    [
      'a transformation where the event type takes no values',
      { eventType: 'send_event_with_no_schema' },
      { code: 'SchemaNotAligned', details: at('/outSchema') },
    ],
    [
      'an expression that fails on the event',
      {
        transformation: json({ mapping: { email: 'traits.email.x', itemName: 'event' } }),
      },
      {
        code: 'TransformationFailed',
        kind: 'refused',
        message: expect.stringMatching(
          /^transformation failed: email = traits\.email\.x: ./,
        ) as string,
      },
    ],
    [
      'a required value that the event lacks',
      { event: anEvent({ traits: {} }) },
      {
        code: 'TransformationFailed',
        message: expect.stringMatching(/^transformation failed: email = .*required/) as string,
      },
    ],
    [
      'a function that does not compile',
      fn({ source: 'function transform( {' }),
      {
        code: 'TransformationFailed',
        message: expect.stringMatching(/^transformation failed: JavaScript: SyntaxError/) as string,
      },
    ],
    [
      'a function that throws',
      fn({ source: 'const transform = () => { throw new Error("no way"); }' }),
      {
        code: 'TransformationFailed',
        message: expect.stringMatching(
          /^transformation failed: JavaScript: Error: no way \(line 1/,
        ) as string,
      },
    ],
    [
      'a function that gives something else',
      fn({ source: 'const transform = () => ({ email: 5 })' }),
      {
        code: 'TransformationFailed',
        message: expect.stringMatching(/^transformation failed: .*email/) as string,
      },
    ],
    [
      'a function that never ends',
      fn({ source: 'const transform = () => { for (;;); }' }),
      {
        code: 'TransformationFailed',
        message: 'transformation failed: JavaScript: time limit of 2 s exceeded',
      },
    ],
  ];

  it.each(REFUSED)('is refused with %s', async (_, changes, refusal) => {
    await expect(preview(changes)).rejects.toMatchObject(refusal);
  });

  it.each([...OTHERS, ['an application that is a source', () => source] as const])(
    'is none for %s',
    async (_, id) => {
      await expect(preview({ connection: await id() })).rejects.toMatchObject(absent);
    },
  );

  it('does not exist in another workspace', async () => {
    await expect(preview({}, elsewhere)).rejects.toMatchObject(absent);
  });

  it('leaves neither request nor answer in plain text on the log, whether it succeeds or is refused', async () => {
    const canary = `canary-${newId()}`;
    const event = anEvent().replace('Tea', canary);
    expect(await bodyOf({ event })).toMatchObject({ values: { itemName: canary } });
    const failing = `const transform = () => { throw new Error('${canary}'); }`;
    await expect(preview({ event, ...fn({ source: failing }) })).rejects.toMatchObject({
      code: 'TransformationFailed',
      message: expect.stringContaining(canary) as string,
    });
    for (const topic of [TOPIC.queries, TOPIC.replies]) {
      const records = await installation.records(topic);
      expect(records.length).toBeGreaterThan(1);
      expect(records.filter(({ value }) => value?.includes(canary))).toEqual([]);
    }
  });

  it('is refused with ServiceUnavailable without a sandbox', async () => {
    const other = await Installation.open();
    try {
      await other.start();
      const connection = await other.destination();
      await other.functions.close();
      await expect(
        other.query('PreviewSendEvent', {
          connection,
          eventType: 'send_add_to_cart',
          event: anEvent(),
          transformation: aFunction(),
          outSchema: json({ ...CART, properties: [CART.properties[0]] }),
        }),
      ).rejects.toMatchObject({ code: 'ServiceUnavailable', kind: 'unavailable' });
    } finally {
      await other.close();
    }
  });
});
