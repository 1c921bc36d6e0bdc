import {
  absent,
  expectRefused,
  FORBIDDEN,
  json,
  malformed,
  NO_CONNECTION,
  NO_KEY,
  NO_PIPELINE,
  NONE,
  type Refused,
  refused,
} from '../refusal';
import { answers, refuses, type Run, type Table } from '../table';
import { bearer, HEALTHY, type Json, type World } from '../world';

const SOURCE = { name: 'S', role: 'Source', connector: 'nodejs' };
const DESTINATION = {
  name: 'D',
  role: 'Destination',
  connector: 'http',
  settings: { url: 'https://example.com/' },
};

const invalidSettings = (path: string): Refused =>
  refused('InvalidSettings', 'settings are not valid', path);
const NO_LINKED = refused(
  'LinkedConnectionNotExist',
  'linked connection does not exist',
  '/linkedConnections/0',
);

const bad = (members: object, because: Refused): Run =>
  refuses('POST /v1/connections', json({ ...SOURCE, ...members }), because);

const get = (world: World, id: string): Promise<Json> => world.done(`GET /v1/connections/${id}`);

const makes =
  (body: object, shown: Json): Run =>
  async (world) => {
    expect(await get(world, await world.made('POST /v1/connections', body))).toMatchObject(shown);
  };

/** Highest maximum age: the default retention less a day. */
const MOST_SECONDS = 29 * 86_400;

const delivered = (delivery: object | null): object => ({ ...DESTINATION, delivery });

const badDelivery = (delivery: object, because: Refused): Run =>
  refuses('POST /v1/connections', json(delivered(delivery)), because);

const unknown = (call: string, body?: object): Record<string, Run> => {
  const request = body === undefined ? NONE : json(body);
  const [method = '', after = ''] = call.split(' ');
  return {
    'of nobody': refuses(`${method} /v1/connections/nothing000000${after}`, request, NO_CONNECTION),
    impossible: refuses(`${method} /v1/connections/%00${after}`, request, NO_CONNECTION),
    'a pipeline': refuses(`${method} /v1/connections/{pipeline}${after}`, request, NO_CONNECTION),
    'of another workspace': async (world) => {
      const { ids } = await world.neighbour();
      const path = `/v1/connections/${ids.destination}${after}`;
      expectRefused(await world.ask(`${method} ${path}`, request), NO_CONNECTION);
    },
  };
};

const TOKEN = 'a-secret-token-of-the-receiver';
const WITH_SECRET = {
  ...DESTINATION,
  settings: { ...DESTINATION.settings, auth: { type: 'bearer', token: TOKEN } },
};

export const CONNECTIONS: Table = {
  'Create: answers the id': async (world) => {
    expect(await world.done('POST /v1/connections', SOURCE)).toEqual({
      id: expect.stringMatching(/^[A-Za-z0-9_-]{12,26}$/) as string,
    });
  },
  'Record: every member of a source': async (world) => {
    const id = await world.made('POST /v1/connections', SOURCE);
    const record = await get(world, id);
    expect(record).toEqual({
      id,
      name: 'S',
      connector: 'nodejs',
      connectorType: 'SDK',
      role: 'Source',
      strategy: null,
      sendingMode: null,
      linkedConnections: [],
      pipelines: [],
      health: HEALTHY,
      settings: expect.anything() as object,
      delivery: null,
    });
  },
  'Record: every member of a destination': async (world) => {
    const { destination: id } = world.ids;
    const { eventTypes, ...record } = await get(world, id);
    expect(record).toEqual({
      id,
      name: 'Receiver',
      health: HEALTHY,
      settings: {
        url: world.receiver.url,
        method: 'POST',
        headers: [],
        auth: null,
        batchSize: 1,
        timeout: 30,
      },
      delivery: null,
      connector: 'http',
      connectorType: 'Application',
      role: 'Destination',
      strategy: null,
      sendingMode: 'Server',
      linkedConnections: [world.ids.source],
      pipelines: [world.ids.pipeline],
    });
    expect((eventTypes as Json[]).map((type) => type['id'])).toEqual(
      expect.arrayContaining(['send_event', 'send_values']),
    );
    for (const type of eventTypes as Json[])
      expect(Object.keys(type).sort()).toEqual(['defaultFilter', 'description', 'id', 'name']);
  },
  'Record: eventTypes only on a destination that takes events': async (world) => {
    expect(await get(world, world.ids.source)).not.toHaveProperty('eventTypes');
    expect(await get(world, world.ids.application)).not.toHaveProperty('eventTypes');
  },
  'Record: secrets are masked to their last four': async (world) => {
    const id = await world.made('POST /v1/connections', WITH_SECRET);
    const { text } = await world.ask(`GET /v1/connections/${id}`);
    expect(text).toContain('"••••iver"');
    expect(text).not.toContain(TOKEN);
    expect((await world.ask('GET /v1/connections')).text).not.toContain(TOKEN);
    expect((await world.ask(`GET /v1/audit?object=${id}`)).text).not.toContain(TOKEN);
  },
  'name: 1 to 100 characters': {
    missing: bad({ name: undefined }, malformed('/name')),
    'a number': bad({ name: 1 }, malformed('/name')),
    '0': bad({ name: '' }, malformed('/name')),
    '1': makes({ ...SOURCE, name: 'S' }, { name: 'S' }),
    '100': makes({ ...SOURCE, name: '😀'.repeat(100) }, { name: '😀'.repeat(100) }),
    '101': bad({ name: '😀'.repeat(101) }, malformed('/name')),
  },
  'role: Source or Destination': {
    missing: bad({ role: undefined }, malformed('/role')),
    'none of both': bad({ role: 'Both' }, malformed('/role')),
    'one that the connector does not have': bad({ role: 'Destination' }, malformed('/role')),
  },
  'connector: one that there is': {
    missing: bad({ connector: undefined }, malformed('/connector')),
    'a number': bad({ connector: 1 }, malformed('/connector')),
    none: bad({ connector: 'abacus' }, refused('ConnectorNotExist', 'connector does not exist')),
  },
  'settings: validated by the connector': {
    'a bad one': refuses(
      'POST /v1/connections',
      json({ ...DESTINATION, settings: { url: 'ftp://example.com' } }),
      invalidSettings('/settings/url'),
    ),
    'a missing one': refuses(
      'POST /v1/connections',
      json({ ...DESTINATION, settings: {} }),
      invalidSettings('/settings/url'),
    ),
    'an unknown one': refuses(
      'POST /v1/connections',
      json({ ...DESTINATION, settings: { ...DESTINATION.settings, color: 'red' } }),
      invalidSettings('/settings/color'),
    ),
    'no object': bad({ settings: [] }, malformed('/settings')),
    'omitted where none is required': makes(SOURCE, { connector: 'nodejs' }),
  },
  'linkedConnections: destinations for a source, sources for a destination': {
    'of a source': async (world) => {
      const { destination } = world.ids;
      const id = await world.made('POST /v1/connections', {
        ...SOURCE,
        linkedConnections: [destination, destination],
      });
      expect(await get(world, id)).toMatchObject({ linkedConnections: [destination] });
    },
    'of a destination': async (world) => {
      const { source } = world.ids;
      const id = await world.made('POST /v1/connections', {
        ...DESTINATION,
        linkedConnections: [source],
      });
      expect(await get(world, id)).toMatchObject({ linkedConnections: [source] });
      await world.done(`DELETE /v1/connections/${id}`);
    },
    none: bad({ linkedConnections: ['nothing000000'] }, NO_LINKED),
    'none that can be': bad({ linkedConnections: ['\u{1f600}'] }, NO_LINKED),
    'one of another workspace': async (world) => {
      const { ids } = await world.neighbour();
      const body = json({ ...SOURCE, linkedConnections: [ids.destination] });
      expectRefused(await world.ask('POST /v1/connections', body), NO_LINKED);
    },
    'a destination for a destination': refuses(
      'POST /v1/connections',
      json({ ...DESTINATION, linkedConnections: ['{destination}'] }),
      NO_LINKED,
    ),
    'an application as the source of a destination': refuses(
      'POST /v1/connections',
      json({ ...DESTINATION, linkedConnections: ['{application}'] }),
      NO_LINKED,
    ),
    'the second of two': refuses(
      'POST /v1/connections',
      json({ ...SOURCE, linkedConnections: ['{destination}', 'nothing000000'] }),
      { ...NO_LINKED, path: '/linkedConnections/1' },
    ),
    'a source for a source': bad({ linkedConnections: ['{source}'] }, NO_LINKED),
    'an application without events': bad({ linkedConnections: ['{application}'] }, NO_LINKED),
    'no array': bad({ linkedConnections: 'a' }, malformed('/linkedConnections')),
    'no texts': bad({ linkedConnections: [1] }, malformed('/linkedConnections')),
  },
  'sendingMode: null or Server; null on a destination means Server': {
    'null on a destination': makes(
      { ...DESTINATION, sendingMode: null },
      { sendingMode: 'Server' },
    ),
    Server: makes({ ...DESTINATION, sendingMode: 'Server' }, { sendingMode: 'Server' }),
    'null on a source': makes({ ...SOURCE, sendingMode: null }, { sendingMode: null }),
    another: bad({ sendingMode: 'Client' }, malformed('/sendingMode')),
    'omitted on a destination': makes(DESTINATION, { sendingMode: 'Server' }),
    'Server on a source': bad({ sendingMode: 'Server' }, malformed('/sendingMode')),
  },
  'delivery: ordering, maxAge and timeout, all optional': {
    ...Object.fromEntries(
      [
        { ordering: 'none', maxAge: 172_800, timeout: 10 },
        { ordering: 'key' },
        { maxAge: 60 },
        { timeout: 1 },
        {},
        null,
      ].map((delivery) => [JSON.stringify(delivery), makes(delivered(delivery), { delivery })]),
    ),
    omitted: makes(DESTINATION, { delivery: null }),
    'another ordering': badDelivery({ ordering: 'any' }, malformed('/delivery/ordering')),
    'null within': badDelivery({ ordering: null }, malformed('/delivery/ordering')),
    'an unknown member': badDelivery({ retries: 3 }, malformed('/delivery/retries')),
    'no object': badDelivery([], malformed('/delivery')),
  },
  'delivery: only of a destination that takes events': {
    'on an SDK': bad({ delivery: {} }, malformed('/delivery')),
    'on an application as a source': bad(
      { connector: 'dummy', delivery: { timeout: 1 } },
      malformed('/delivery'),
    ),
    'null on a source': makes({ ...SOURCE, delivery: null }, { delivery: null }),
    'Update of a source': refuses(
      'PUT /v1/connections/{application}',
      json({ name: 'A', delivery: {} }),
      malformed('/delivery'),
    ),
  },
  'delivery: maxAge from 60 to the retention of events less a day': {
    '59': badDelivery({ maxAge: 59 }, malformed('/delivery/maxAge')),
    '60': makes(delivered({ maxAge: 60 }), { delivery: { maxAge: 60 } }),
    'no integer': badDelivery({ maxAge: 60.5 }, malformed('/delivery/maxAge')),
    '29 days': makes(delivered({ maxAge: MOST_SECONDS }), { delivery: { maxAge: MOST_SECONDS } }),
    'a second more': badDelivery({ maxAge: MOST_SECONDS + 1 }, invalidSettings('/delivery/maxAge')),
    'a second more, Update': refuses(
      'PUT /v1/connections/{destination}',
      json({ name: 'A', delivery: { maxAge: MOST_SECONDS + 1 } }),
      invalidSettings('/delivery/maxAge'),
    ),
    'more than a number holds': refuses(
      'POST /v1/connections',
      json(
        `{"name":"D","role":"Destination","connector":"http","settings":{"url":"https://example.com/"},"delivery":{"maxAge":1${'0'.repeat(400)}}}`,
      ),
      invalidSettings('/delivery/maxAge'),
    ),
  },
  'delivery: timeout from 1 to 120': {
    '0': badDelivery({ timeout: 0 }, malformed('/delivery/timeout')),
    '1': makes(delivered({ timeout: 1 }), { delivery: { timeout: 1 } }),
    '120': makes(delivered({ timeout: 120 }), { delivery: { timeout: 120 } }),
    '121': badDelivery({ timeout: 121 }, malformed('/delivery/timeout')),
  },
  'Get: connection does not exist': unknown('GET '),
  'Update: no response': async (world) => {
    const id = await world.made('POST /v1/connections', DESTINATION);
    const settings = { url: 'https://example.org/' };
    const answer = await world.ask(`PUT /v1/connections/${id}`, json({ name: 'N', settings }));
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(await get(world, id)).toMatchObject({ name: 'N', settings });
  },
  'Update: omitted settings are unchanged': async (world) => {
    const id = await world.made('POST /v1/connections', DESTINATION);
    await world.done(`PUT /v1/connections/${id}`, { name: 'N' });
    expect(await get(world, id)).toMatchObject({ name: 'N', settings: DESTINATION.settings });
  },
  'Update: omitted delivery is unchanged, null clears it, an object replaces it': async (world) => {
    const id = await world.made(
      'POST /v1/connections',
      delivered({ ordering: 'none', maxAge: 60 }),
    );
    const updated = async (body: object): Promise<unknown> => {
      await world.done(`PUT /v1/connections/${id}`, { name: 'N', ...body });
      return (await get(world, id))['delivery'];
    };
    expect(await updated({})).toEqual({ ordering: 'none', maxAge: 60 });
    expect(await updated({ delivery: { timeout: 5 } })).toEqual({ timeout: 5 });
    expect(await updated({ delivery: null })).toBeNull();
    const { facts } = await world.done(`GET /v1/audit?object=${id}`);
    const after = (facts as { after: Json }[]).map((fact) => fact.after['delivery']);
    expect(after).toEqual([
      undefined,
      { timeout: 5 },
      { ordering: 'none', maxAge: 60 },
      { ordering: 'none', maxAge: 60 },
    ]);
  },
  'Update: a masked secret that is sent back is kept': async (world) => {
    const id = await world.made('POST /v1/connections', WITH_SECRET);
    const { settings } = await get(world, id);
    await world.done(`PUT /v1/connections/${id}`, { name: 'N', settings });
    expect(await get(world, id)).toMatchObject({ settings: settings as object });
  },
  'Update: a masked secret that stands for nothing is refused': refuses(
    'PUT /v1/connections/{destination}',
    json({
      name: 'A',
      settings: { url: 'https://example.com', auth: { type: 'bearer', token: '••••1234' } },
    }),
    invalidSettings('/settings/auth/token'),
  ),
  'Update: name 1 to 100, no other members than name, settings and delivery': {
    'no name': refuses('PUT /v1/connections/{destination}', json({}), malformed('/name')),
    '0': refuses('PUT /v1/connections/{destination}', json({ name: '' }), malformed('/name')),
    '1': answers('PUT /v1/connections/{destination}', json({ name: 'D' })),
    '100': answers('PUT /v1/connections/{destination}', json({ name: '😀'.repeat(100) })),
    '101': refuses(
      'PUT /v1/connections/{destination}',
      json({ name: 'a'.repeat(101) }),
      malformed('/name'),
    ),
    role: refuses(
      'PUT /v1/connections/{destination}',
      json({ name: 'A', role: 'Source' }),
      malformed('/role'),
    ),
    settings: refuses(
      'PUT /v1/connections/{destination}',
      json({ name: 'A', settings: { url: 'ftp://example.com' } }),
      invalidSettings('/settings/url'),
    ),
  },
  'Update: connection does not exist': unknown('PUT ', { name: 'A' }),
  'Delete: connection does not exist': unknown('DELETE '),
  'Delete: takes its pipelines, keys and links along': async (world) => {
    const destination = await world.made('POST /v1/connections', DESTINATION);
    const source = await world.made('POST /v1/connections', {
      ...SOURCE,
      linkedConnections: [destination],
    });
    const pipeline = await world.made('POST /v1/pipelines', {
      name: 'P',
      connection: destination,
      target: 'Event',
      eventType: 'send_event',
    });
    const { keys } = await world.done(`GET /v1/connections/${source}/event-write-keys`);
    const answer = await world.ask(`DELETE /v1/connections/${destination}`);
    expect([answer.status, answer.text]).toEqual([200, '']);
    expectRefused(await world.ask(`GET /v1/pipelines/${pipeline}`), NO_PIPELINE);
    expect(await get(world, source)).toMatchObject({ linkedConnections: [] });
    await world.done(`DELETE /v1/connections/${source}`);
    const [key = ''] = keys as string[];
    const sent = await world.ask('POST /v1/events', {
      headers: bearer(key),
      body: JSON.stringify({ type: 'track', event: 'E', userId: 'ada' }),
    });
    expectRefused(sent, NO_KEY);
  },
  'Delete: history stays readable': async (world) => {
    const id = await world.made('POST /v1/connections', DESTINATION);
    await world.done(`DELETE /v1/connections/${id}`);
    const { facts } = await world.done(`GET /v1/audit?object=${id}`);
    expect((facts as { type: string }[]).map(({ type }) => type)).toEqual([
      'ConnectionDeleted',
      'ConnectionCreated',
    ]);
  },
  'List: connections and cursor, of this workspace only': async (world) => {
    const { ids } = await world.neighbour();
    const { connections, cursor } = await world.done('GET /v1/connections?limit=1000');
    expect(cursor).toBe('');
    const listed = (connections as { id: string }[]).map(({ id }) => id);
    expect(listed).toEqual(expect.arrayContaining([world.ids.source, world.ids.destination]));
    expect(listed).not.toContain(ids.source);
  },
  'Connections: need scope write to change, read to look': async (world) => {
    const headers = bearer((await world.key({ scope: 'read' })).key);
    for (const call of ['GET /v1/connections', 'GET /v1/connections/{source}'])
      expect((await world.ask(call, { headers })).status).toBe(200);
    for (const call of [
      'POST /v1/connections',
      'PUT /v1/connections/{source}',
      'DELETE /v1/connections/{source}',
    ])
      expectRefused(await world.ask(call, { headers }), FORBIDDEN);
  },
};

export const CONNECTORS: Table = {
  'List connectors: whole, as connectors': async (world) => {
    const { connectors, ...rest } = await world.done('GET /v1/connectors');
    expect(rest).toEqual({});
    expect((connectors as { code: string }[]).map(({ code }) => code)).toEqual(
      expect.arrayContaining([
        'dummy',
        'http',
        'nodejs',
        'webhook',
        'csv',
        'excel',
        'json',
        'parquet',
      ]),
    );
  },
  'Record: every member of a connector': async (world) => {
    const { connectors } = await world.done('GET /v1/connectors');
    for (const connector of connectors as Json[]) {
      expect(Object.keys(connector).sort()).toEqual([
        'asDestination',
        'asSource',
        'categories',
        'code',
        'fileExtension',
        'formatSettings',
        'hasSheets',
        'label',
        'settings',
        'terms',
        'type',
      ]);
      const types = ['Application', 'Database', 'FileStorage', 'SDK', 'Webhook', 'FileFormat'];
      expect(types).toContain(connector['type']);
      const isFormat = connector['type'] === 'FileFormat';
      for (const member of ['formatSettings', 'hasSheets', 'fileExtension'])
        expect(connector[member] !== null).toBe(isFormat);
      expect(connector['asSource'] ?? connector['asDestination']).not.toBeNull();
    }
    expect(await world.done('GET /v1/connectors/nodejs')).toMatchObject({
      type: 'SDK',
      asSource: { targets: ['Event', 'User'] },
      asDestination: null,
    });
    expect(await world.done('GET /v1/connectors/excel')).toMatchObject({
      ...{ type: 'FileFormat', hasSheets: true, fileExtension: 'xlsx' },
      formatSettings: { source: { properties: [{ name: 'hasColumnNames' }] } },
    });
    expect(await world.done('GET /v1/connectors/http')).toMatchObject({
      type: 'Application',
      asSource: null,
      asDestination: { targets: ['Event'], sendingMode: 'Server' },
    });
  },
  'Get connector: as it is in the list': async (world) => {
    const { connectors } = await world.done('GET /v1/connectors');
    for (const each of connectors as { code: string }[])
      expect(await world.done(`GET /v1/connectors/${each.code}`)).toEqual(each);
  },
  'Get connector: connector does not exist': Object.fromEntries(
    ['abacus', 'HTTP', '%00', 'constructor'].map((code) => [
      code,
      refuses(
        `GET /v1/connectors/${code}`,
        NONE,
        absent('ConnectorNotExist', 'connector does not exist'),
      ),
    ]),
  ),
  'Connectors: scope read is enough': async (world) => {
    const headers = bearer((await world.key({ scope: 'read' })).key);
    expect((await world.ask('GET /v1/connectors', { headers })).status).toBe(200);
  },
  'Connectors: another method': {
    list: refuses('POST /v1/connectors', json({}), {
      status: 405,
      code: 'MethodNotAllowed',
      message: 'method is not allowed',
    }),
  },
};
