import { until } from '../../harness/until';
import {
  expectRefused,
  json,
  malformed,
  malformedFilter,
  NO_PIPELINE,
  NONE,
  type Refused,
  refused,
} from '../refusal';
import { refuses, type Run, type Table } from '../table';
import { bearer, HEALTHY, type Json, type World } from '../world';

const object = (...properties: object[]): Json => ({ kind: 'object', properties });
const OUT_SCHEMA = object({ name: 'properties', type: { kind: 'json' }, createRequired: true });

const PIPELINE = {
  name: 'P',
  connection: '{destination}',
  target: 'Event',
  eventType: 'send_values',
  filter: null,
  transformation: { mapping: { properties: 'properties' } },
  outSchema: OUT_SCHEMA,
};

const FUNCTION = {
  source: 'const transform = ({ messageId }) => ({ properties: messageId });',
  language: 'JavaScript',
  preserveJSON: false,
  inPaths: ['messageId'],
  outPaths: ['properties'],
};

const notAligned = (path: string): Refused =>
  refused('SchemaNotAligned', 'output schema is not aligned with the event type schema', path);

const NO_CONNECTION = refused('ConnectionNotExist', 'connection does not exist');
const NO_EVENT_TYPE = refused('EventTypeNotExist', 'connection does not have event type');

const condition = (property: string, operator: string, ...values: string[]): object => ({
  logical: 'and',
  conditions: [{ property, operator, values }],
});

const withFunction = (members: object) => ({
  transformation: { function: { ...FUNCTION, ...members } },
});

const UPDATE = {
  name: PIPELINE.name,
  filter: PIPELINE.filter,
  transformation: PIPELINE.transformation,
  outSchema: PIPELINE.outSchema,
};

/** Cases of one rule, at Create and at Update. */
const both = (members: object, because: Refused): Record<string, Run> => ({
  'at Create': refuses('POST /v1/pipelines', json({ ...PIPELINE, ...members }), because),
  'at Update': refuses('PUT /v1/pipelines/{pipeline}', json({ ...UPDATE, ...members }), because),
});

const each = (cases: Record<string, Record<string, Run>>): Record<string, Run> =>
  Object.fromEntries(
    Object.entries(cases).flatMap(([name, runs]) =>
      Object.entries(runs).map(([at, run]): [string, Run] => [`${name}, ${at}`, run]),
    ),
  );

const create = (world: World, members: object = {}): Promise<string> =>
  world.made('POST /v1/pipelines', {
    ...PIPELINE,
    connection: world.ids.destination,
    ...members,
  });

const get = (world: World, id: string): Promise<Json> => world.done(`GET /v1/pipelines/${id}`);

/** Checks that Create accepts the members and Get returns them. */
const keeps =
  (members: object, shown: object = members): Run =>
  async (world) => {
    expect(await get(world, await create(world, members))).toMatchObject(shown);
  };

/** Each operator, with a property that it supports and values. */
const OPERATORS: Readonly<Record<string, [property: string, ...values: string[]]>> = {
  is: ['event', 'A'],
  'is not': ['event', 'A'],
  'is less than': ['context.screen.width', '5'],
  'is less than or equal to': ['context.screen.width', '5'],
  'is greater than': ['context.screen.density', '1.5'],
  'is greater than or equal to': ['context.location.speed', '1.5'],
  'is between': ['context.session.id', '1', '9'],
  'is not between': ['context.session.id', '1', '9'],
  contains: ['event', 'A'],
  'does not contain': ['event', 'A'],
  'is one of': ['type', 'track', 'page'],
  'is not one of': ['type', 'track', 'page'],
  'starts with': ['userId', 'a'],
  'ends with': ['userId', 'a'],
  'is before': ['timestamp', '2026-01-01T00:00:00Z'],
  'is on or before': ['timestamp', '2026-01-01T00:00:00Z'],
  'is after': ['timestamp', '2026-01-01T00:00:00Z'],
  'is on or after': ['timestamp', '2026-01-01T00:00:00Z'],
  'is true': ['context.session.start'],
  'is false': ['context.session.start'],
  'is empty': ['traits'],
  'is not empty': ['traits'],
  'is null': ['properties.price'],
  'is not null': ['properties.price'],
  exists: ['userId'],
  'does not exist': ['properties.price'],
};

const filtersBy =
  (operator: string, [property, ...values]: readonly [string, ...string[]]): Run =>
  async (world) => {
    const filter = condition(property, operator, ...values);
    const { filter: kept } = await get(world, await create(world, { filter }));
    expect(kept).toMatchObject({ logical: 'and', conditions: [{ property, operator }] });
  };

const filterCase = (filter: object, path: string): Run =>
  refuses('POST /v1/pipelines', json({ ...PIPELINE, filter }), malformedFilter(path));

const dummy = async (world: World): Promise<string> =>
  world.made('POST /v1/connections', {
    name: 'Test application',
    role: 'Destination',
    connector: 'dummy',
  });

export const EVENTS_TO_APPLICATIONS: Table = {
  'Create: answers the id': async (world) => {
    expect(await create(world)).toMatch(/^[A-Za-z0-9_-]{12,26}$/);
  },
  'Get: every field': async (world) => {
    const id = await create(world, { name: 'Every field', enabled: true });
    const { version, health, ...body } = await get(world, id);
    expect(body).toEqual({
      id,
      name: 'Every field',
      connector: 'http',
      connectorType: 'Application',
      connection: world.ids.destination,
      connectionRole: 'Destination',
      target: 'Event',
      enabled: true,
      eventType: 'send_values',
      filter: null,
      transformation: { mapping: { properties: 'properties' }, function: null },
      inSchema: await world.done('GET /v1/events/schema'),
      outSchema: {
        kind: 'object',
        properties: [
          { name: 'properties', type: { kind: 'json' }, createRequired: true, description: '' },
        ],
      },
    });
    expect([version, health]).toEqual([1, HEALTHY]);
  },
  'Get: pipeline does not exist': {
    'of nobody': refuses('GET /v1/pipelines/nothing000000', NONE, NO_PIPELINE),
    impossible: refuses('GET /v1/pipelines/%2F', NONE, NO_PIPELINE),
  },
  'Get: without a transformation both it and outSchema are null': keeps(
    { eventType: 'send_event', transformation: null, outSchema: null },
    { transformation: null, outSchema: null },
  ),
  'name: 1 to 60 characters': {
    ...each({
      'no name': both({ name: undefined }, malformed('/name')),
      '0': both({ name: '' }, malformed('/name')),
      '61': both({ name: '😀'.repeat(61) }, malformed('/name')),
      'a number': both({ name: 1 }, malformed('/name')),
      NUL: both({ name: 'a\0' }, malformed('/name')),
      null: both({ name: null }, malformed('/name')),
    }),
    '1': keeps({ name: 'P' }),
    '60': keeps({ name: '😀'.repeat(60) }),
  },
  'connection: required, a text': {
    missing: refuses(
      'POST /v1/pipelines',
      json({ ...PIPELINE, connection: undefined }),
      malformed('/connection'),
    ),
    'a number': refuses(
      'POST /v1/pipelines',
      json({ ...PIPELINE, connection: 1 }),
      malformed('/connection'),
    ),
  },
  'Create: connection does not exist': {
    'of nobody': refuses(
      'POST /v1/pipelines',
      json({ ...PIPELINE, connection: 'nothing000000' }),
      NO_CONNECTION,
    ),
    impossible: refuses('POST /v1/pipelines', json({ ...PIPELINE, connection: '' }), NO_CONNECTION),
    'of another workspace': async (world) => {
      const { ids } = await world.neighbour();
      const body = json({ ...PIPELINE, connection: ids.destination });
      expectRefused(await world.ask('POST /v1/pipelines', body), NO_CONNECTION);
    },
    deleted: async (world) => {
      const connection = await dummy(world);
      await world.done(`DELETE /v1/connections/${connection}`);
      const body = json({ ...PIPELINE, connection });
      expectRefused(await world.ask('POST /v1/pipelines', body), NO_CONNECTION);
    },
  },
  'target: must be Event': {
    missing: refuses(
      'POST /v1/pipelines',
      json({ ...PIPELINE, target: undefined }),
      malformed('/target'),
    ),
    'none of both': refuses(
      'POST /v1/pipelines',
      json({ ...PIPELINE, target: 'Group' }),
      malformed('/target'),
    ),
  },
  'connection: only a destination application that supports events': {
    'a source of users': refuses(
      'POST /v1/pipelines',
      json({ ...PIPELINE, connection: '{application}' }),
      malformed('/target'),
    ),
  },
  'enabled: optional, false when omitted at Create': {
    omitted: keeps({}, { enabled: false }),
    false: keeps({ enabled: false }),
    true: keeps({ enabled: true }),
    ...both({ enabled: 'yes' }, malformed('/enabled')),
    ...each({ null: both({ enabled: null }, malformed('/enabled')) }),
  },
  'eventType: 1 to 100 characters': {
    missing: refuses(
      'POST /v1/pipelines',
      json({ ...PIPELINE, eventType: undefined }),
      malformed('/eventType'),
    ),
    null: refuses(
      'POST /v1/pipelines',
      json({ ...PIPELINE, eventType: null }),
      malformed('/eventType'),
    ),
    '0': refuses(
      'POST /v1/pipelines',
      json({ ...PIPELINE, eventType: '' }),
      malformed('/eventType'),
    ),
    '1': refuses('POST /v1/pipelines', json({ ...PIPELINE, eventType: 'e' }), NO_EVENT_TYPE),
    '100': refuses(
      'POST /v1/pipelines',
      json({ ...PIPELINE, eventType: '😀'.repeat(100) }),
      NO_EVENT_TYPE,
    ),
    '101': refuses(
      'POST /v1/pipelines',
      json({ ...PIPELINE, eventType: '😀'.repeat(101) }),
      malformed('/eventType'),
    ),
  },
  'Create: connection does not have event type': refuses(
    'POST /v1/pipelines',
    json({ ...PIPELINE, eventType: 'send_nothing' }),
    NO_EVENT_TYPE,
  ),
  'filter: nullable object with logical and conditions': {
    ...each({ 'no object': both({ filter: [] }, malformed('/filter')) }),
    null: keeps({ filter: null }),
    and: keeps({ filter: condition('event', 'is', 'A') }),
    or: keeps({ filter: { ...condition('event', 'is', 'A'), logical: 'or' } }),
    'no logical': filterCase({ conditions: [] }, '/filter/logical'),
    'another logical': filterCase(
      { ...condition('event', 'is', 'A'), logical: 'xor' },
      '/filter/logical',
    ),
    'no conditions': filterCase({ logical: 'and' }, '/filter/conditions'),
    'none of them': filterCase({ logical: 'and', conditions: [] }, '/filter/conditions'),
    'an unknown member': filterCase({ ...condition('event', 'is', 'A'), not: true }, '/filter/not'),
  },
  'condition: property, operator and values': {
    'no property': filterCase(
      { logical: 'and', conditions: [{ operator: 'is', values: ['A'] }] },
      '/filter/conditions/0/property',
    ),
    'a property that is none': filterCase(
      condition('color', 'is', 'red'),
      '/filter/conditions/0/property',
    ),
    'no operator': filterCase(
      { logical: 'and', conditions: [{ property: 'event', values: ['A'] }] },
      '/filter/conditions/0/operator',
    ),
    'an operator that is none': filterCase(
      condition('event', 'is like', 'A'),
      '/filter/conditions/0/operator',
    ),
    'an operator of another type': filterCase(
      condition('event', 'is true'),
      '/filter/conditions/0/operator',
    ),
    'no values': filterCase(condition('event', 'is'), '/filter/conditions/0/values'),
    'values that are numbers': filterCase(
      { logical: 'and', conditions: [{ property: 'event', operator: 'is', values: [1] }] },
      '/filter/conditions/0/values/0',
    ),
    'values where none are taken': filterCase(
      condition('context.session.start', 'is true', 'true'),
      '/filter/conditions/0/values',
    ),
    'one value for two': filterCase(
      condition('context.session.id', 'is between', '1'),
      '/filter/conditions/0/values',
    ),
    'an unknown member': filterCase(
      {
        logical: 'and',
        conditions: [{ property: 'event', operator: 'is', values: ['A'], caseSensitive: true }],
      },
      '/filter/conditions/0/caseSensitive',
    ),
    'a json path': keeps({ filter: condition('properties.cart.total', 'is', '5') }),
    'values that are null where none are taken': keeps(
      {
        filter: {
          logical: 'and',
          conditions: [{ property: 'context.session.start', operator: 'is true', values: null }],
        },
      },
      { filter: { conditions: [{ operator: 'is true' }] } },
    ),
    'three values for two': filterCase(
      condition('context.session.id', 'is between', '1', '2', '3'),
      '/filter/conditions/0/values',
    ),
    'two values for one': filterCase(
      condition('event', 'is', 'A', 'B'),
      '/filter/conditions/0/values',
    ),
    'no value for one or more': filterCase(
      condition('event', 'is one of'),
      '/filter/conditions/0/values',
    ),
    'an operator in other letters': filterCase(
      condition('event', 'Is', 'A'),
      '/filter/conditions/0/operator',
    ),
    'is null where null cannot be': filterCase(
      condition('event', 'is null'),
      '/filter/conditions/0/operator',
    ),
    'exists where it always is': filterCase(
      condition('type', 'exists'),
      '/filter/conditions/0/operator',
    ),
    'an operand of 1,000 characters': keeps({
      filter: condition('event', 'is', '😀'.repeat(1_000)),
    }),
    'an operand of 1,001 characters': filterCase(
      condition('event', 'is', '😀'.repeat(1_001)),
      '/filter/conditions/0/values/0',
    ),
    'an empty operand': filterCase(condition('event', 'is', ''), '/filter/conditions/0/values/0'),
    'an operand with NUL': filterCase(
      condition('event', 'is', 'a\0'),
      '/filter/conditions/0/values/0',
    ),
    'an operand that is none of the values': filterCase(
      condition('type', 'is', 'buy'),
      '/filter/conditions/0/values/0',
    ),
    'an operand of another type': filterCase(
      condition('context.screen.width', 'is', 'wide'),
      '/filter/conditions/0/values/0',
    ),
    'all conditions are named': async (world) => {
      const filter = {
        logical: 'and',
        conditions: ['a', 'b'].map((property) => ({ property, operator: 'is', values: ['A'] })),
      };
      const { text } = await world.ask('POST /v1/pipelines', json({ ...PIPELINE, filter }));
      const { error } = JSON.parse(text) as { error: { details: { path: string }[] } };
      expect(error.details.map(({ path }) => path)).toEqual([
        '/filter/conditions/0/property',
        '/filter/conditions/1/property',
      ]);
    },
  },
  'filter: operands read back in one form': keeps(
    { filter: condition('timestamp', 'is before', '2024-02-29T10:11:12+02:00') },
    { filter: condition('timestamp', 'is before', '2024-02-29T08:11:12Z') },
  ),
  'condition: every operator': Object.fromEntries(
    Object.entries(OPERATORS).map(([operator, on]) => [operator, filtersBy(operator, on)]),
  ),
  'filter: only matching events are sent': async (world) => {
    const id = await create(world, {
      enabled: true,
      filter: condition('event', 'is', 'Wanted'),
      transformation: { mapping: { properties: 'map("filtered", messageId)' } },
    });
    const headers = bearer(world.ids.writeKey);
    for (const event of ['Unwanted', 'Wanted']) {
      const sent = { type: 'track', event, userId: 'ada', messageId: `${id}-${event}` };
      const answer = await world.ask('POST /v1/events', { headers, body: JSON.stringify(sent) });
      expect(answer.status).toBe(200);
    }
    const arrived = () =>
      world.receiver.delivered.map(({ body }) => body['filtered']).filter((is) => is !== undefined);
    await until('the event that matches arrives', () => arrived().includes(`${id}-Wanted`));
    expect(arrived()).not.toContain(`${id}-Unwanted`);
  },
  'transformation: exactly one of mapping and function': {
    ...each({
      neither: both({ transformation: {} }, malformed('/transformation')),
      'both null': both(
        { transformation: { mapping: null, function: null } },
        malformed('/transformation'),
      ),
      'both given': both(
        { transformation: { mapping: { properties: 'traits' }, function: FUNCTION } },
        malformed('/transformation'),
      ),
      'an unknown member': both(
        { transformation: { mapping: { properties: 'traits' }, script: '' } },
        malformed('/transformation/script'),
      ),
      'no object': both({ transformation: 'x' }, malformed('/transformation')),
    }),
    'mapping, function null': keeps(
      { transformation: { mapping: { properties: 'traits' }, function: null } },
      { transformation: { mapping: { properties: 'traits' }, function: null } },
    ),
    'function, mapping null': keeps(
      { transformation: { function: FUNCTION, mapping: null } },
      { transformation: { mapping: null, function: FUNCTION } },
    ),
  },
  'mapping: paths to expressions': {
    ...each({
      'no object': both({ transformation: { mapping: [] } }, malformed('/transformation/mapping')),
      'no entry': both({ transformation: { mapping: {} } }, malformed('/transformation/mapping')),
      'no expression': both(
        { transformation: { mapping: { properties: 'lower(' } } },
        malformed('/transformation/mapping/properties'),
      ),
      'a number': both(
        { transformation: { mapping: { properties: 1 } } },
        malformed('/transformation/mapping/properties'),
      ),
      'a property that events do not have': both(
        { transformation: { mapping: { properties: 'colour' } } },
        malformed('/transformation/mapping/properties'),
      ),
      'a path that the output does not have': both(
        { transformation: { mapping: { properties: 'traits', more: 'traits' } } },
        malformed('/transformation/mapping/more'),
      ),
    }),
  },
  'function.source: 1 to 50,000 characters': {
    ...each({
      missing: both(
        withFunction({ source: undefined }),
        malformed('/transformation/function/source'),
      ),
      '0': both(withFunction({ source: '' }), malformed('/transformation/function/source')),
      NUL: both(
        withFunction({ source: `${FUNCTION.source}//\0` }),
        malformed('/transformation/function/source'),
      ),
      'a number': both(withFunction({ source: 1 }), malformed('/transformation/function/source')),
      '50,001': both(
        withFunction({ source: `${FUNCTION.source}//`.padEnd(50_001, 'x') }),
        malformed('/transformation/function/source'),
      ),
    }),
    '50,000': keeps(withFunction({ source: `${FUNCTION.source}//`.padEnd(50_000, 'x') })),
    '50,000 of two units each': keeps(
      withFunction({
        source: `${FUNCTION.source}//${'😀'.repeat(50_000 - FUNCTION.source.length - 2)}`,
      }),
    ),
  },
  'function.language: JavaScript or Python': {
    JavaScript: keeps(withFunction({})),
    Python: keeps(
      withFunction({
        language: 'Python',
        source: 'def transform(event):\n    return {"properties": event["messageId"]}\n',
      }),
    ),
    missing: refuses(
      'POST /v1/pipelines',
      json({ ...PIPELINE, ...withFunction({ language: undefined }) }),
      malformed('/transformation/function/language'),
    ),
    'a number': refuses(
      'POST /v1/pipelines',
      json({ ...PIPELINE, ...withFunction({ language: 5 }) }),
      malformed('/transformation/function/language'),
    ),
  },
  'transformation language is not supported': each(
    Object.fromEntries(
      ['Ruby', 'javascript', ''].map((language) => [
        JSON.stringify(language),
        both(
          withFunction({ language }),
          refused('UnsupportedLanguage', 'transformation language is not supported'),
        ),
      ]),
    ),
  ),
  'function: no other members': both(
    withFunction({ timeout: 5 }),
    malformed('/transformation/function/timeout'),
  ),
  'function.preserveJSON: a boolean': {
    true: keeps(
      withFunction({
        preserveJSON: true,
        source: 'const transform = () => ({ properties: "1" });',
      }),
    ),
    ...each({
      missing: both(
        withFunction({ preserveJSON: undefined }),
        malformed('/transformation/function/preserveJSON'),
      ),
      text: both(
        withFunction({ preserveJSON: 'no' }),
        malformed('/transformation/function/preserveJSON'),
      ),
    }),
  },
  'function.inPaths: paths of the event, or none': {
    none: keeps(
      withFunction({ inPaths: [], source: 'const transform = () => ({ properties: 1 });' }),
    ),
    ...each({
      missing: both(
        withFunction({ inPaths: undefined }),
        malformed('/transformation/function/inPaths'),
      ),
      'a path that events do not have': both(
        withFunction({ inPaths: ['colour'] }),
        malformed('/transformation/function/inPaths/0'),
      ),
      'no text': both(
        withFunction({ inPaths: [1] }),
        malformed('/transformation/function/inPaths/0'),
      ),
      'a path twice': both(
        withFunction({ inPaths: ['messageId', 'messageId'] }),
        malformed('/transformation/function/inPaths/1'),
      ),
      'a path and one inside it': both(
        withFunction({ inPaths: ['context', 'context.ip'] }),
        malformed('/transformation/function/inPaths/1'),
      ),
    }),
    'read back sorted': keeps(
      withFunction({ inPaths: ['type', 'messageId'] }),
      withFunction({ inPaths: ['messageId', 'type'] }),
    ),
  },
  'function.outPaths: at least one path': {
    '1': keeps(withFunction({ outPaths: ['properties'] })),
    ...each({
      '0': both(withFunction({ outPaths: [] }), malformed('/transformation/function/outPaths')),
      missing: both(
        withFunction({ outPaths: undefined }),
        malformed('/transformation/function/outPaths'),
      ),
      'a path that the output does not have': both(
        withFunction({ outPaths: ['properties', 'colour'] }),
        malformed('/transformation/function/outPaths/1'),
      ),
      'a path twice': both(
        withFunction({ outPaths: ['properties', 'properties'] }),
        malformed('/transformation/function/outPaths/1'),
      ),
    }),
  },
  'a function that does not compile: transformation failed': each({
    JavaScript: both(
      withFunction({ source: 'const transform = (' }),
      refused(
        'TransformationFailed',
        /^transformation failed: ./,
        '/transformation/function/source',
      ),
    ),
    Python: both(
      withFunction({ language: 'Python', source: 'def transform(' }),
      refused(
        'TransformationFailed',
        /^transformation failed: ./,
        '/transformation/function/source',
      ),
    ),
  }),
  'outSchema and transformation go together': each({
    'a transformation without': both({ outSchema: null }, malformed('/outSchema')),
    'a transformation with none': both({ outSchema: undefined }, malformed('/outSchema')),
    'an outSchema without': both({ transformation: null }, malformed('/transformation')),
    'an outSchema that is none': both(
      { outSchema: { kind: 'object', properties: [] } },
      malformed('/outSchema/properties'),
    ),
    ...Object.fromEntries(
      ['updateRequired', 'readOptional', 'prefilled'].map((flag) => [
        `an outSchema with ${flag}`,
        both(
          {
            outSchema: object({
              name: 'properties',
              type: { kind: 'json' },
              createRequired: true,
              [flag]: flag === 'prefilled' ? 'traits' : true,
            }),
          },
          malformed(`/outSchema/properties/0/${flag}`),
        ),
      ]),
    ),
    'an outSchema that is no object': both(
      { outSchema: { kind: 'string' } },
      malformed('/outSchema/kind'),
    ),
  }),
  'output schema is not aligned with the event type schema': {
    ...each({
      'a property that the event type does not have': both(
        {
          transformation: { mapping: { properties: 'traits', more: 'event' } },
          outSchema: object(
            { name: 'properties', type: { kind: 'json' }, createRequired: true },
            { name: 'more', type: { kind: 'string' } },
          ),
        },
        notAligned('/outSchema/properties/1'),
      ),
      'another type': both(
        {
          transformation: { mapping: { properties: 'event' } },
          outSchema: object({ name: 'properties', type: { kind: 'string' }, createRequired: true }),
        },
        notAligned('/outSchema/properties/0'),
      ),
      'no transformation where a property is required': both(
        { transformation: null, outSchema: null },
        notAligned('/outSchema'),
      ),
    }),
    'a transformation where the event type has no schema': refuses(
      'POST /v1/pipelines',
      json({ ...PIPELINE, eventType: 'send_event' }),
      notAligned('/outSchema'),
    ),
    'a required property left out': async (world) => {
      const members = {
        connection: await dummy(world),
        eventType: 'send_add_to_cart',
        transformation: { mapping: { itemName: 'event' } },
        outSchema: object({ name: 'itemName', type: { kind: 'string' } }),
      };
      expectRefused(
        await world.ask('POST /v1/pipelines', json({ ...PIPELINE, ...members })),
        notAligned('/outSchema'),
      );
    },
    'every difference is named': async (world) => {
      const outSchema = object(
        { name: 'properties', type: { kind: 'string' } },
        { name: 'more', type: { kind: 'string' } },
      );
      const { text } = await world.ask(
        'POST /v1/pipelines',
        json({
          ...PIPELINE,
          transformation: { mapping: { properties: 'event', more: 'event' } },
          outSchema,
        }),
      );
      const { error } = JSON.parse(text) as { error: { details: { path: string }[] } };
      expect(new Set(error.details.map(({ path }) => path))).toEqual(
        new Set(['/outSchema/properties/0', '/outSchema/properties/1']),
      );
    },
    'a subset is enough': async (world) => {
      await create(world, {
        connection: await dummy(world),
        eventType: 'send_add_to_cart',
        transformation: { mapping: { email: 'userId' } },
        outSchema: object({ name: 'email', type: { kind: 'string' }, createRequired: true }),
      });
    },
  },
  'Create: order of checks': {
    'shape before connection': refuses(
      'POST /v1/pipelines',
      json({ ...PIPELINE, connection: 'nothing000000', name: '' }),
      malformed('/name'),
    ),
    'connection before target': refuses(
      'POST /v1/pipelines',
      json({ ...PIPELINE, connection: 'nothing000000', target: 'User' }),
      NO_CONNECTION,
    ),
    'target before event type': refuses(
      'POST /v1/pipelines',
      json({ ...PIPELINE, target: 'User', eventType: 'send_nothing' }),
      malformed('/target'),
    ),
    'connection before event type': refuses(
      'POST /v1/pipelines',
      json({ ...PIPELINE, connection: 'nothing000000', eventType: 'send_nothing' }),
      NO_CONNECTION,
    ),
    'event type before filter': refuses(
      'POST /v1/pipelines',
      json({
        ...PIPELINE,
        eventType: 'send_nothing',
        filter: condition('colour', 'is', 'red'),
      }),
      NO_EVENT_TYPE,
    ),
    'filter before language': refuses(
      'POST /v1/pipelines',
      json({
        ...PIPELINE,
        ...withFunction({ language: 'Ruby' }),
        filter: condition('colour', 'is', 'red'),
      }),
      malformedFilter('/filter/conditions/0/property'),
    ),
    'language before alignment': refuses(
      'POST /v1/pipelines',
      json({
        ...PIPELINE,
        ...withFunction({ language: 'Ruby' }),
        outSchema: object({ name: 'properties', type: { kind: 'string' } }),
      }),
      refused('UnsupportedLanguage', 'transformation language is not supported'),
    ),
    'alignment before compilation': refuses(
      'POST /v1/pipelines',
      json({
        ...PIPELINE,
        ...withFunction({ source: 'const transform = (' }),
        outSchema: object({ name: 'properties', type: { kind: 'string' }, createRequired: true }),
      }),
      notAligned('/outSchema/properties/0'),
    ),
    'filter and mapping at once': async (world) => {
      const { status, text } = await world.ask(
        'POST /v1/pipelines',
        json({
          ...PIPELINE,
          filter: condition('colour', 'is', 'red'),
          transformation: { mapping: { properties: 'lower(' } },
        }),
      );
      const { error } = JSON.parse(text) as { error: { details: { path: string }[] } };
      expect(status).toBe(400);
      expect(error.details.map(({ path }) => path)).toEqual(
        expect.arrayContaining([
          '/filter/conditions/0/property',
          '/transformation/mapping/properties',
        ]),
      );
    },
  },
  'Update: no response': async (world) => {
    const id = await create(world, { filter: condition('event', 'is', 'A') });
    const { status, text } = await world.ask(
      `PUT /v1/pipelines/${id}`,
      json({ ...UPDATE, name: 'New name', transformation: { mapping: { properties: 'traits' } } }),
    );
    expect([status, text]).toEqual([200, '']);
    expect(await get(world, id)).toMatchObject({
      name: 'New name',
      transformation: { mapping: { properties: 'traits' } },
    });
  },
  'Update: omitted enabled is kept': async (world) => {
    const id = await create(world, { enabled: true });
    await world.done(`PUT /v1/pipelines/${id}`, UPDATE);
    expect(await get(world, id)).toMatchObject({ enabled: true });
    await world.done(`PUT /v1/pipelines/${id}`, { ...UPDATE, enabled: false });
    expect(await get(world, id)).toMatchObject({ enabled: false });
    await world.done(`PUT /v1/pipelines/${id}`, UPDATE);
    expect(await get(world, id)).toMatchObject({ enabled: false });
  },
  'Update: omitted filter, transformation and outSchema are cleared': Object.fromEntries(
    Object.entries({ omitted: undefined, null: null }).map(([name, none]): [string, Run] => [
      name,
      async (world) => {
        const connection = await dummy(world);
        const id = await create(world, {
          connection,
          eventType: 'send_generic_event',
          filter: condition('event', 'is', 'A'),
          outSchema: object({ name: 'properties', type: { kind: 'json' } }),
        });
        await world.done(`PUT /v1/pipelines/${id}`, {
          name: 'P',
          filter: none,
          transformation: none,
          outSchema: none,
        });
        expect(await get(world, id)).toMatchObject({
          filter: null,
          transformation: null,
          outSchema: null,
        });
      },
    ]),
  ),
  'Update: connection, target and eventType cannot be changed': {
    connection: refuses(
      'PUT /v1/pipelines/{pipeline}',
      json({ ...UPDATE, connection: '{source}' }),
      malformed('/connection'),
    ),
    target: refuses(
      'PUT /v1/pipelines/{pipeline}',
      json({ ...UPDATE, target: 'User' }),
      malformed('/target'),
    ),
    eventType: refuses(
      'PUT /v1/pipelines/{pipeline}',
      json({ ...UPDATE, eventType: 'send_event' }),
      malformed('/eventType'),
    ),
  },
  'Update: pipeline does not exist': {
    'of nobody': refuses('PUT /v1/pipelines/nothing000000', json(UPDATE), NO_PIPELINE),
    deleted: async (world) => {
      const id = await create(world);
      await world.done(`DELETE /v1/pipelines/${id}`);
      expectRefused(await world.ask(`PUT /v1/pipelines/${id}`, json(UPDATE)), NO_PIPELINE);
    },
  },
  'Set status changes only the enabled state': async (world) => {
    const id = await create(world, { filter: condition('event', 'is', 'A') });
    const before = await get(world, id);
    await world.done(`PUT /v1/pipelines/${id}/status`, { enabled: true });
    const { version, ...after } = await get(world, id);
    expect({ ...after, version: before['version'] }).toEqual({ ...before, enabled: true });
    expect(version).toBe(Number(before['version']) + 1);
  },
};
