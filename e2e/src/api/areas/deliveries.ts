import { eventually } from '../../harness/eventually';
import { Receiver } from '../../harness/receiver';
import { makeFlow } from '../../harness/flow';
import {
  absent,
  expectRefused,
  FORBIDDEN,
  json,
  malformed,
  NO_CONNECTION,
  NO_PIPELINE,
  NONE,
} from '../refusal';
import { refuses, type Run, type Table } from '../table';
import { bearer, type Json, World } from '../world';

const NO_REDRIVE = absent('RedriveNotExist', 'redrive does not exist');
const NO_DELIVERY = absent('DeliveryNotExist', 'delivery does not exist');
const NO_EVENT = { status: 404, code: 'EventNotExist', message: /^event does not exist/ };

const FILTER = {
  logical: 'and',
  conditions: [{ property: 'event', operator: 'is', values: ['Good'] }],
};

type Delivery = Readonly<Record<string, unknown>>;

const list = async (world: World, query = ''): Promise<Delivery[]> =>
  (await world.done(`GET /v1/pipelines/deliveries?${query}`))['deliveries'] as Delivery[];

/** A flow of its own whose destination answers every event 400. @returns its ids, when they are listed. */
const rejected = async (
  world: World,
  messageIds: readonly string[],
): Promise<{
  readonly pipeline: string;
  readonly source: string;
  readonly destination: string;
}> => {
  const receiver = await Receiver.open();
  receiver.status = 400;
  try {
    const { installation, ids } = world;
    const { address, apiKey } = installation;
    const flow = await makeFlow(
      { address, apiKey, workspace: ids.workspace },
      {
        url: receiver.url,
        filter: FILTER,
        mapping: 'map("id", messageId)',
      },
    );
    for (const messageId of messageIds) {
      const event = { type: 'track', event: 'Good', anonymousId: 'user-1', messageId };
      const headers = { ...json({}).headers, Authorization: `Bearer ${flow.writeKey}` };
      const { status } = await world.ask('POST /v1/events', { ...json(event), headers });
      expect(status).toBe(200);
    }
    const missing = await eventually(async () => {
      const found = await list(world, `pipeline=${flow.pipeline}`);
      return found.length === messageIds.length ? [] : [`${String(found.length)} are listed`];
    }, 30_000);
    expect(missing).toEqual([]);
    return flow;
  } finally {
    await receiver.close();
  }
};

const FILTERS: Readonly<Record<string, Run>> = Object.fromEntries(
  ['deliveries', 'deliveries/counts'].flatMap((path): [string, Run][] => [
    ...[
      ['state=Delivered', '/state'],
      ['state=', '/state'],
      [`code=${'x'.repeat(101)}`, '/code'],
      [`pipeline=${'x'.repeat(101)}`, '/pipeline'],
      [`connection=${'x'.repeat(101)}`, '/connection'],
      ['code=%00', '/code'],
      ['from=today', '/from'],
      ['to=1', '/to'],
      ['state=Parked&state=Parked', '/state'],
      ['page=1', '/page'],
    ].map(([query = '', pointer = '']): [string, Run] => [
      `${path} ${query.slice(0, 20)} ${pointer}`,
      refuses(`GET /v1/pipelines/${path}?${query}`, NONE, malformed(pointer)),
    ]),
  ]),
);

const ofCounts = (name: string): boolean => name.startsWith('deliveries/counts');

const filters = (isOfCounts: boolean): Readonly<Record<string, Run>> =>
  Object.fromEntries(Object.entries(FILTERS).filter(([name]) => ofCounts(name) === isOfCounts));

const badPage = (query: string, pointer: string): Run =>
  refuses(`GET /v1/pipelines/deliveries?${query}`, NONE, malformed(pointer));

export const DELIVERIES: Table = {
  'List: rejected and waiting ones, newest first, with their members': async (world) => {
    const { pipeline, source, destination } = await rejected(world, ['listed-1', 'listed-2']);
    const found = await list(world, `pipeline=${pipeline}`);
    expect(found.map(({ messageId }) => messageId)).toEqual(['listed-2', 'listed-1']);
    for (const each of found)
      expect(each).toEqual({
        id: expect.stringMatching(/^[0-9A-Za-z]{16,26}$/) as string,
        pipeline,
        pipelineVersion: 1,
        connection: destination,
        source,
        messageId: each['messageId'],
        state: 'Rejected',
        step: 'Finalize',
        code: '400',
        reason: expect.stringContaining('400') as string,
        attempts: 1,
        receivedAt: expect.stringMatching(/^20.*Z$/) as string,
        endedAt: expect.stringMatching(/^20.*Z$/) as string,
        nextAttemptAt: null,
      });
  },
  'List: pipeline, connection, state, code, from, to, limit and cursor': {
    ...filters(false),
    'limit of 0': badPage('limit=0', '/limit'),
    'limit of 1001': badPage('limit=1001', '/limit'),
    'a cursor of nothing': badPage('cursor=nothing', '/cursor'),
    'a cursor with blanks': badPage('cursor=%20', '/cursor'),
    'in pages': async (world) => {
      const { pipeline } = await rejected(world, ['page-1', 'page-2', 'page-3']);
      const path = `GET /v1/pipelines/deliveries?pipeline=${pipeline}&limit=2`;
      const first = await world.done(path);
      const rest = await world.done(`${path}&cursor=${String(first['cursor'])}`);
      const ids = [first, rest].map((page) =>
        (page['deliveries'] as Delivery[]).map(({ messageId }) => messageId),
      );
      expect(ids).toEqual([['page-3', 'page-2'], ['page-1']]);
      expect(rest['cursor']).toBe('');
    },
    'of a connection, state and code': async (world) => {
      const { pipeline, destination } = await rejected(world, ['of-one']);
      const of = (query: string): Promise<Delivery[]> =>
        list(world, `connection=${destination}&${query}`);
      for (const query of ['', 'state=Rejected', 'code=400', `pipeline=${pipeline}`])
        expect(await of(query)).toHaveLength(1);
      for (const query of ['state=Parked', 'state=Waiting', 'code=404', 'pipeline={pipeline}'])
        expect(await of(query)).toEqual([]);
    },
    'from and to': async (world) => {
      const { pipeline } = await rejected(world, ['of-a-time']);
      const [found] = await list(world, `pipeline=${pipeline}`);
      const time = String(found?.['receivedAt']);
      expect(await list(world, `pipeline=${pipeline}&from=${time}`)).toHaveLength(1);
      expect(await list(world, `pipeline=${pipeline}&to=${time}`)).toEqual([]);
    },
  },
  'Counts: by state and code, and by pipeline': async (world) => {
    const { pipeline } = await rejected(world, ['counted-1', 'counted-2']);
    const count = { state: 'Rejected', code: '400', count: 2 };
    expect(await world.done(`GET /v1/pipelines/deliveries/counts?pipeline=${pipeline}`)).toEqual({
      counts: [count],
      pipelines: [{ pipeline, ...count }],
      isCut: false,
    } satisfies Json);
  },
  'Counts: pipeline, connection, state, code, from and to': filters(true),
  'Get: the event and the answer, values masked for scope read': async (world) => {
    const { pipeline, destination } = await rejected(world, ['whole-1']);
    const [listed] = await list(world, `pipeline=${pipeline}`);
    const path = `GET /v1/pipelines/deliveries/${String(listed?.['id'])}`;
    const whole = await world.done(path);
    expect(whole).toEqual({
      ...listed,
      detail: expect.stringContaining('answered 400') as string,
      event: expect.objectContaining({
        messageId: 'whole-1',
        event: 'Good',
        type: 'track',
      }) as Json,
      isMasked: false,
    });
    const { key } = await world.key({ scope: 'read' });
    const masked = (await world.ask(path, { headers: bearer(key) })).json;
    const event = whole['event'] as Json;
    expect(Object.keys(masked['event'] as Json)).toEqual(Object.keys(event));
    expect(masked).toMatchObject({
      ...listed,
      detail: '••••',
      isMasked: true,
      connection: destination,
    });
    expect(masked['event']).toMatchObject({ messageId: '••••', event: '••••', type: '••••' });
  },
  'Get: delivery does not exist': {
    'of nobody': refuses('GET /v1/pipelines/deliveries/nothing000000', NONE, NO_DELIVERY),
    impossible: refuses('GET /v1/pipelines/deliveries/%00', NONE, NO_DELIVERY),
    'a pipeline': refuses('GET /v1/pipelines/deliveries/{pipeline}', NONE, NO_DELIVERY),
    'of another workspace': async (world) => {
      const { pipeline } = await rejected(world, ['whole-2']);
      const [listed] = await list(world, `pipeline=${pipeline}`);
      const { installation, receiver, databaseUrl } = world;
      const other = await World.make({ installation, receiver, databaseUrl });
      const path = `GET /v1/pipelines/deliveries/${String(listed?.['id'])}`;
      expectRefused(await other.ask(path), NO_DELIVERY);
      expect(await other.done('GET /v1/access-log')).toEqual({ accesses: [], cursor: '' });
    },
  },
  'Trace: the event, its pipelines and attempts, values masked for scope read': async (world) => {
    const { pipeline, source, destination } = await rejected(world, ['traced/1']);
    const path = 'GET /v1/events/traced%2F1/trace';
    const whole = await world.done(`${path}?connection=${source}`);
    expect(whole).toMatchObject({
      event: {
        form: 'Readable',
        connection: source,
        event: { messageId: 'traced/1', event: 'Good', type: 'track' },
      },
      duplicates: [],
      pipelines: [
        {
          pipeline,
          pipelineVersion: 1,
          connection: destination,
          state: 'Rejected',
          step: 'Finalize',
          code: '400',
          delivery: expect.stringMatching(/^[0-9A-Za-z]{16,26}$/) as string,
          filter: { conditions: [{ operator: 'is', seen: 'Good', holds: true }] },
          transformation: { kind: 'Mapping', output: { properties: { id: 'traced/1' } } },
          attempts: [{ attempt: 1, isSuccessful: false, status: 400, nextAttemptAt: null }],
          omittedAttempts: 0,
        },
      ],
      unknown: [],
      isMasked: false,
    });
    const { key } = await world.key({ scope: 'read' });
    const masked = (await world.ask(path, { headers: bearer(key) })).json;
    expect(masked).toMatchObject({
      event: { event: { messageId: '••••', event: '••••', type: '••••' } },
      pipelines: [
        {
          filter: { conditions: [{ seen: '••••', values: ['Good'] }] },
          transformation: { output: { properties: { id: '••••' } } },
        },
      ],
      isMasked: true,
    });
    const { accesses } = await world.done('GET /v1/access-log?limit=1');
    expect(accesses).toMatchObject([{ delivery: (whole['event'] as Json)['place'] }]);
  },
  'Trace: connection, pipeline, anonymousId and at': {
    ...Object.fromEntries(
      [
        ['anonymousId=a', '/anonymousId'],
        ['connection=c&at=2026-03-01T09:30:00Z', '/at'],
        ['connection=c&anonymousId=a&at=today', '/at'],
        [`connection=${'x'.repeat(101)}`, '/connection'],
        [`pipeline=${'x'.repeat(101)}`, '/pipeline'],
        [`connection=c&anonymousId=${'x'.repeat(1_001)}`, '/anonymousId'],
        ['pipeline=%00', '/pipeline'],
        ['limit=1', '/limit'],
      ].map(([query = '', pointer = '']): [string, Run] => [
        `${query.slice(0, 24)} ${pointer}`,
        refuses(`GET /v1/events/any/trace?${query}`, NONE, malformed(pointer)),
      ]),
    ),
    'choose one of several': async (world) => {
      const [one, other] = [await rejected(world, ['twice']), await rejected(world, ['twice'])];
      const path = 'GET /v1/events/twice/trace';
      for (const { source, pipeline } of [one, other]) {
        const found = await world.done(`${path}?connection=${source}&anonymousId=user-1`);
        expect(found).toMatchObject({ event: { connection: source }, pipelines: [{ pipeline }] });
        expect(await world.done(`${path}?connection=${source}&pipeline=none`)).toMatchObject({
          pipelines: [],
        });
      }
      expect(await world.done(path)).toMatchObject({
        event: { connection: other.source },
        others: [{ connection: one.source }],
      });
    },
    'find an event near a time': async (world) => {
      const { source } = await rejected(world, ['by its time']);
      const at = new Date().toISOString();
      const query = `connection=${source}&anonymousId=user-1&at=${at}`;
      expect(await world.done(`GET /v1/events/by%20its%20time/trace?${query}`)).toMatchObject({
        event: { connection: source },
      });
    },
  },
  'Trace: from the delivery on, by the id as it was sent': Object.fromEntries(
    ['plain', 'a b', ' a', '100%', '%20', 'tab\tbed', 'line\nfed', 'é/?#+'].map((id) => [
      JSON.stringify(id),
      async (world) => {
        const messageId = `${world.ids.workspace}${id}`;
        const event = { type: 'track', event: 'Good', userId: 'ada', messageId };
        const headers = bearer(world.ids.writeKey);
        await world.ask('POST /v1/events', { headers, body: JSON.stringify(event) });
        await world.arrival(messageId);
        const found = await world.done(`GET /v1/events/${encodeURIComponent(messageId)}/trace`);
        expect(found).toMatchObject({ event: { messageId, event: { messageId } } });
      },
    ]),
  ),
  'Trace: event does not exist': {
    'of nobody': refuses('GET /v1/events/nothing/trace', NONE, NO_EVENT),
    impossible: refuses('GET /v1/events/%00/trace', NONE, NO_EVENT),
    'near a time': refuses(
      'GET /v1/events/nothing/trace?connection=source000000&anonymousId=a&at=2026-03-01T09:30:00Z',
      NONE,
      NO_EVENT,
    ),
    'of another workspace': async (world) => {
      const { source } = await rejected(world, ['of my own']);
      const { installation, receiver, databaseUrl } = world;
      const other = await World.make({ installation, receiver, databaseUrl });
      const path = 'GET /v1/events/of%20my%20own/trace';
      const at = new Date().toISOString();
      for (const query of [
        '',
        `connection=${source}`,
        `connection=${source}&anonymousId=user-1&at=${at}`,
      ])
        expectRefused(await other.ask(`${path}?${query}`), NO_EVENT);
      expect(await other.done('GET /v1/access-log')).toEqual({ accesses: [], cursor: '' });
    },
  },
  'Access log: every access to values, newest first, in pages': {
    'with values only': async (world) => {
      const { pipeline } = await rejected(world, ['seen-1', 'seen-2']);
      const ids = (await list(world, `pipeline=${pipeline}`)).map(({ id }) => String(id));
      const writer = await world.key({ scope: 'write' });
      const reader = await world.key({ scope: 'read' });
      const look = (id: string, key: string, requestId: string) =>
        world.ask(`GET /v1/pipelines/deliveries/${id}`, {
          headers: { ...bearer(key), 'Request-Id': requestId },
        });
      for (const [index, id] of ids.entries()) await look(id, writer.key, `seen-${String(index)}`);
      await look(ids[0] ?? '', reader.key, 'masked');
      await look('nothing000000', writer.key, 'nothing');
      const first = await world.done('GET /v1/access-log?limit=1');
      const cursor = String(first['cursor']);
      const next = await world.done(`GET /v1/access-log?limit=1&cursor=${cursor}`);
      const accesses = [first, next].flatMap((page) => page['accesses'] as Json[]);
      expect(accesses).toEqual(
        [1, 0].map((index) => ({
          at: expect.stringMatching(/^20.*Z$/) as string,
          key: writer.id,
          delivery: ids[index],
          requestId: `seen-${String(index)}`,
        })),
      );
    },
    'a cursor of nothing': refuses('GET /v1/access-log?cursor=x', NONE, malformed('/cursor')),
    'a limit of 0': refuses('GET /v1/access-log?limit=0', NONE, malformed('/limit')),
    'no other parameters': refuses('GET /v1/access-log?key=x', NONE, malformed('/key')),
  },
  'Access log: needs scope admin': async (world) => {
    for (const scope of ['read', 'write']) {
      const { key } = await world.key({ scope });
      expectRefused(await world.ask('GET /v1/access-log', { headers: bearer(key) }), FORBIDDEN);
    }
  },
  'nothing of another workspace is in it': async (world) => {
    const { pipeline } = await rejected(world, ['of-mine']);
    const { installation, receiver, databaseUrl } = world;
    const other = await World.make({ installation, receiver, databaseUrl });
    expect(await list(other)).toEqual([]);
    expect(await list(other, `pipeline=${pipeline}`)).toEqual([]);
    expect(await other.done('GET /v1/pipelines/deliveries/counts')).toMatchObject({ counts: [] });
  },
  'Redrives: chosen dead letters are sent again, in the present version': async (world) => {
    const { pipeline } = await rejected(world, ['again-1', 'again-2']);
    const path = `/v1/pipelines/${pipeline}/redrives`;
    expect(await world.done(`POST ${path}`, { state: 'Parked', dryRun: true })).toEqual({
      count: 0,
    });
    const [one] = await list(world, `pipeline=${pipeline}`);
    const created = await world.done(`POST ${path}`, { ids: [one?.['id']] });
    expect(created).toEqual({ id: expect.stringMatching(/^[0-9a-z]{20}$/) as string, count: 1 });
    const id = String(created['id']);
    const redrive = (): Promise<Json> => world.done(`GET ${path}/${id}`);
    await redrive();
    await world.ask(`POST ${path}/${id}/cancel`);
    const running = await eventually(async () => {
      const { state } = await redrive();
      return state === 'Running' ? ['it runs'] : [];
    }, 30_000);
    expect(running).toEqual([]);
    const { redrives, cursor } = await world.done(`GET ${path}`);
    expect([redrives, cursor]).toEqual([[await redrive()], '']);
    const { chosen, delivered, filtered, rejected: again, parked, left } = await redrive();
    const sum = [delivered, filtered, again, parked, left].reduce<number>(
      (all, each) => all + Number(each),
      0,
    );
    expect([chosen, sum]).toEqual([1, 1]);
  },
  'Redrives: state, code, from, to, ids and dryRun': Object.fromEntries(
    (
      [
        ['/state', { state: 'Waiting' }],
        ['/code', { code: 'x'.repeat(101) }],
        ['/from', { from: 'today' }],
        ['/to', { to: 1 }],
        ['/ids', { ids: [] }],
        ['/ids', { ids: Array.from({ length: 1_001 }, () => 'x') }],
        ['/dryRun', { dryRun: 1 }],
        ['/other', { other: 1 }],
      ] as const
    ).map(([pointer, body]): [string, Run] => [
      `${pointer} ${JSON.stringify(body).slice(0, 20)}`,
      refuses('POST /v1/pipelines/{pipeline}/redrives', json(body), malformed(pointer)),
    ]),
  ),
  'Redrives: pipeline or redrive does not exist': {
    'create for nobody': refuses('POST /v1/pipelines/nothing000000/redrives', NONE, NO_PIPELINE),
    'list of nobody': refuses('GET /v1/pipelines/nothing000000/redrives', NONE, NO_PIPELINE),
    'list of a connection': refuses('GET /v1/pipelines/{source}/redrives', NONE, NO_PIPELINE),
    'get of nobody': refuses(
      'GET /v1/pipelines/{pipeline}/redrives/nothing000000',
      NONE,
      NO_REDRIVE,
    ),
    'get of an impossible one': refuses(
      'GET /v1/pipelines/{pipeline}/redrives/%00',
      NONE,
      NO_REDRIVE,
    ),
    'cancel of nobody': refuses(
      'POST /v1/pipelines/{pipeline}/redrives/nothing000000/cancel',
      NONE,
      NO_REDRIVE,
    ),
  },
  'Conservation: accepted is the sum of the endings and of what is open': async (world) => {
    const { pipeline } = await rejected(world, ['kept-1', 'kept-2']);
    expect(await world.done(`GET /v1/pipelines/${pipeline}/conservation`)).toEqual({
      accepted: 2,
      endings: { Delivered: 0, Filtered: 0, Rejected: 2, Parked: 0, Duplicate: 0 },
      ...{ open: 0, behind: 0 },
    });
  },
  'Conservation: pipeline does not exist': {
    'of nobody': refuses('GET /v1/pipelines/nothing000000/conservation', NONE, NO_PIPELINE),
    impossible: refuses('GET /v1/pipelines/%00/conservation', NONE, NO_PIPELINE),
    'a connection': refuses('GET /v1/pipelines/{source}/conservation', NONE, NO_PIPELINE),
  },
  'Metrics: what passed each step and failed at it, by step of time': async (world) => {
    const { pipeline } = await rejected(world, ['metric-1', 'metric-2']);
    const answer = await world.done(`GET /v1/pipelines/${pipeline}/metrics?stepSize=minute`);
    expect(answer).toMatchObject({
      stepSize: 'minute',
      total: {
        accepted: 2,
        passed: [2, 2, 2, 2, 2, 0],
        failed: [0, 0, 0, 0, 0, 2],
        endings: [{ state: 'Rejected', code: '400', count: 2 }],
        retries: 0,
        latency: null,
      },
      lag: 0,
    });
    expect(answer['points']).toHaveLength(60);
  },
  'Metrics of a connection: of a destination and of a source': async (world) => {
    const { source, destination } = await rejected(world, ['metric-3', 'metric-4']);
    const ofDestination = await world.done(`GET /v1/connections/${destination}/metrics`);
    expect(ofDestination).toMatchObject({ total: { accepted: 2, failed: [0, 0, 0, 0, 0, 2] } });
    expect(await world.done(`GET /v1/connections/${source}/metrics`)).toMatchObject({
      total: { accepted: 2, duplicates: 0, differentBodies: 0, suppressed: 0 },
    });
  },
  'Metrics: from, to and stepSize': {
    'a time': refuses('GET /v1/pipelines/{pipeline}/metrics?from=x', NONE, malformed('/from')),
    'a step of time': refuses(
      'GET /v1/connections/{source}/metrics?stepSize=week',
      NONE,
      malformed('/stepSize'),
    ),
    'no other parameters': refuses(
      'GET /v1/pipelines/{pipeline}/metrics?limit=1',
      NONE,
      malformed('/limit'),
    ),
  },
  'Metrics: pipeline and connection do not exist': {
    'a pipeline of nobody': refuses('GET /v1/pipelines/nothing000000/metrics', NONE, NO_PIPELINE),
    'a connection as a pipeline': refuses('GET /v1/pipelines/{source}/metrics', NONE, NO_PIPELINE),
    'a connection of nobody': refuses(
      'GET /v1/connections/nothing000000/metrics',
      NONE,
      NO_CONNECTION,
    ),
  },
};
