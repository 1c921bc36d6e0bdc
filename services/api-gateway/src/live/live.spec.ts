import {
  type ConnectionId,
  type Instant,
  type LiveEvent,
  type LiveOutcome,
  type LiveRecord,
  type LiveRouting,
  liveSealContext,
  type PipelineId,
  readInterests,
  Refusal,
  TOPIC,
  type WorkspaceId,
  writeLiveRecord,
} from '@penstock/contracts';
import { createLogger } from '@penstock/runtime';
import { EventStream } from '@penstock/test-servers';
import type { ApiGatewayDependencies } from '../gateway-dependencies';
import { GatewayStand } from '../testing/gateway.fixture';
import { jsonOf, send } from '../testing/http.fixture';
import {
  apiKey,
  destination,
  organization,
  pipelineOn,
  seals,
  source,
  workspace,
  WORKSPACE,
} from '../testing/installation.fixture';

const ELSEWHERE = 'workspace0000002' as WorkspaceId;
const TIME = '2026-03-01T09:30:00.000Z';

const reader = apiKey('read');
const writer = apiKey('write');
const apiKeys = [reader.record, writer.record];
const application = destination('application00001');
const other = destination('application00002');
const shop = source('nodejs', '{}', { links: [application.id, other.id] });
const blog = source('nodejs', '{}', { links: [other.id] });
const foreign = source('nodejs', '{}', { workspace: ELSEWHERE });
const carts = pipelineOn(application);
const visits = pipelineOn(other);

let stand: GatewayStand;
let stands: GatewayStand[];
let streams: EventStream[];
let follows: number;
let follow: GatewayStand['log']['follow'];

const configure = (stand_: GatewayStand): Promise<void> =>
  stand_.configure(
    organization({ apiKeys }),
    workspace(),
    workspace(ELSEWHERE),
    shop.state,
    blog.state,
    foreign.state,
    application,
    other,
    carts,
    visits,
  );

const start = async (more: Partial<ApiGatewayDependencies> = {}): Promise<void> => {
  await stand.start({ liveCheckMs: 20, ...more });
  stand.pipelineService.answer('WatchEvents', {});
};

beforeEach(async () => {
  stand = new GatewayStand();
  stands = [stand];
  streams = [];
  follows = 0;
  follow = stand.log.follow.bind(stand.log);
  jest.spyOn(stand.log, 'follow').mockImplementation((options) => {
    if (options.topic === TOPIC.live) follows += 1;
    return follow(options);
  });
  await configure(stand);
});

afterEach(async () => {
  for (const stream of streams) stream.close();
  for (const each of stands) await each.stop();
});

const open = async (
  query = '',
  key = writer.key,
  headers: Record<string, string> = {},
  at = stand,
): Promise<EventStream> => {
  const stream = await EventStream.open(at.url(`/v1/events/live${query}`), key, headers);
  streams.push(stream);
  return stream;
};

/** Opens a stream that has begun. */
const watch = async (...given: Parameters<typeof open>): Promise<EventStream> => {
  const stream = await open(...given);
  const type = stream.headers['content-type'];
  expect([stream.status, type]).toEqual([200, 'text/event-stream; charset=utf-8']);
  await stream.until(({ text }) => text.includes(': heartbeat'));
  return stream;
};

const append = (...records: readonly LiveRecord[]): Promise<unknown> =>
  stand.log.append(
    TOPIC.live,
    records.map((record) => ({ key: record.workspace, value: writeLiveRecord(record) })),
  );

interface Sampled {
  readonly from?: ConnectionId;
  readonly name?: string;
  readonly number?: string;
  readonly members?: Partial<LiveEvent>;
}

const open_ = (pipeline: PipelineId, connection: ConnectionId): LiveRouting => ({
  pipeline,
  version: 1,
  connection,
  state: 'Open',
  code: '',
});

const sampled = (
  number: number,
  { from = shop.state.id, name = 'Bought', number: value = '1', members = {} }: Sampled = {},
): LiveEvent => {
  const of = { workspace: WORKSPACE, event: `0/${String(number)}`, ...members };
  const text =
    `{"connectionId":"${from}","anonymousId":"Ada","event":"${name}","messageId":"m${String(number)}",` +
    `"properties":{"n":${value}},"receivedAt":"${TIME}","sentAt":"${TIME}","originalTimestamp":"${TIME}",` +
    `"timestamp":"${TIME}","traits":{},"type":"track"}`;
  return {
    kind: 'event',
    source: from,
    receipt: 'New',
    pipelines: [open_(carts.id, application.id), open_(visits.id, other.id)],
    sealed: seals.seal(text, of.workspace, liveSealContext(of)),
    ...of,
  };
};

const outcome = (number: number, members: Partial<LiveOutcome> = {}): LiveOutcome => ({
  kind: 'outcome',
  workspace: WORKSPACE,
  source: shop.state.id,
  event: `0/${String(number)}`,
  pipeline: carts.id,
  version: 1,
  connection: application.id,
  state: 'Delivered',
  code: '',
  attempts: 1,
  status: null,
  at: TIME as Instant,
  ...members,
});

const announced = () =>
  stand.log.recordsOf(TOPIC.liveInterest).map(({ value }) => readInterests(value)!.interests);

const watched = (connection: string | null = null, pipeline: string | null = null) => ({
  workspace: WORKSPACE,
  connection,
  pipeline,
});

const summary = ({ events }: EventStream): string[] =>
  events.map(({ name, data }) => {
    if (name === 'event') return `event ${String(data['id'])}`;
    if (name === 'outcome') return `outcome ${String(data['event'])} ${String(data['pipeline'])}`;
    return `dropped ${String(data['reason'])} ${String(data['count'])}`;
  });

/** Appends a last record for everybody and waits for it: what came before has been handled. */
const settled = async (stream: EventStream): Promise<string[]> => {
  await append({ kind: 'dropped', workspace: WORKSPACE, source: shop.state.id, count: 999 });
  await stream.until(({ text }) => text.includes('"count":999'));
  return summary(stream).filter((line) => line !== 'dropped Rate 999');
};

/** Events that are, together, more than the system takes for a client that does not read. */
const FLOOD = 700;

/** Appends them, no faster than a client reads. */
const flood = async (quick: EventStream): Promise<void> => {
  const name = 'x'.repeat(20_000);
  for (let number = 0; number < FLOOD; number += 1) {
    await append(sampled(number, { name }));
    if (number % 50 === 49) await quick.has(number + 1);
  }
};

describe('the stream', () => {
  it('has events with every digit, and their outcomes, under ids that are offsets', async () => {
    await start();
    const stream = await watch();
    await append(sampled(7, { number: '12345678901234567890' }), outcome(7, { status: 404 }));
    await stream.has(2);
    expect(stream.text).toContain('"event":{"connectionId"');
    expect(stream.text).toContain('"n":12345678901234567890');
    expect(stream.events).toMatchObject([
      {
        id: '0',
        name: 'event',
        data: {
          id: '0/7',
          source: shop.state.id,
          messageId: 'm7',
          type: 'track',
          receivedAt: TIME,
          receipt: 'New',
          isMasked: false,
          event: { event: 'Bought', anonymousId: 'Ada' },
          pipelines: [
            {
              pipeline: carts.id,
              pipelineVersion: 1,
              connection: application.id,
              state: 'Open',
              code: '',
            },
            { pipeline: visits.id },
          ],
        },
      },
      {
        id: '1',
        name: 'outcome',
        data: {
          event: '0/7',
          source: shop.state.id,
          pipeline: carts.id,
          pipelineVersion: 1,
          connection: application.id,
          state: 'Delivered',
          code: '',
          attempts: 1,
          status: 404,
          at: TIME,
        },
      },
    ]);
    expect(stream.headers).toMatchObject({ 'cache-control': 'no-store', connection: 'close' });
  });

  it('has masked values for scope read, without a record of an access', async () => {
    await start();
    const stream = await watch('', reader.key);
    await append(sampled(7));
    await stream.has(1);
    expect(stream.events[0]?.data).toMatchObject({
      messageId: 'm7',
      isMasked: true,
      event: { anonymousId: '••••', event: '••••', properties: { n: '••••' } },
    });
    expect(stream.text).not.toMatch(/Ada|Bought/);
    expect(stand.pipelineService.calls).toEqual([]);
  });

  it('records an access to values before it begins, once', async () => {
    await start();
    const stream = await watch(`?connection=${shop.state.id}&pipeline=${carts.id}`);
    await append(sampled(1), sampled(2));
    await stream.has(2);
    expect(stand.pipelineService.calls).toMatchObject([
      {
        name: 'WatchEvents',
        in: { connection: shop.state.id, pipeline: carts.id },
        metadata: { caller: { key: writer.record.id } },
      },
    ]);
  });

  it('does not begin when the access cannot be recorded', async () => {
    await start();
    stand.pipelineService.answer('WatchEvents', new Refusal('ServiceUnavailable'));
    const { status } = await open();
    expect(status).toBe(503);
    expect([announced(), follows]).toEqual([[], 0]);
  });

  it('does not begin, and leaves no place taken, while the log is away', async () => {
    await start({ liveListeners: 1 });
    stand.log.failure = new Error('away');
    jest.spyOn(stand.log, 'follow').mockRejectedValueOnce(new Error('away'));
    expect((await open()).status).toBe(503);
    stand.log.failure = undefined;
    await watch();
  });

  it('shows nothing of other workspaces, and nothing that cannot be read', async () => {
    await start();
    const stream = await watch();
    await append(
      sampled(1, { members: { workspace: ELSEWHERE } }),
      { ...sampled(2), sealed: sampled(3).sealed },
      sampled(4),
    );
    await stand.log.append(TOPIC.live, [{ key: 'k', value: 'nothing' }]);
    expect(await settled(stream)).toEqual(['event 0/4']);
  });

  it('says how many were left out', async () => {
    await start();
    const all = await watch();
    const ofBlog = await watch(`?connection=${blog.state.id}`);
    const ofApplication = await watch(`?connection=${application.id}`);
    await append({ kind: 'dropped', workspace: WORKSPACE, source: shop.state.id, count: 5 });
    await append({ kind: 'dropped', workspace: WORKSPACE, source: blog.state.id, count: 6 });
    await ofBlog.has(1);
    await ofApplication.has(2);
    await all.has(2);
    expect(summary(all)).toEqual(['dropped Rate 5', 'dropped Rate 6']);
    expect(summary(ofBlog)).toEqual(['dropped Rate 6']);
  });

  it('is only described to HEAD', async () => {
    await start();
    const headers = { Authorization: `Bearer ${writer.key}` };
    const answered = await send(stand.url('/v1/events/live'), { method: 'HEAD', headers });
    expect([answered.status, announced(), stand.pipelineService.calls]).toEqual([200, [], []]);
  });
});

describe('what is watched', () => {
  const filter = (name: string): string =>
    encodeURIComponent(
      JSON.stringify({
        logical: 'and',
        conditions: [{ property: 'event', operator: 'is', values: [name] }],
      }),
    );

  it.each([
    [
      'everything',
      '',
      ['event 0/1', 'event 0/2', `outcome 0/1 ${carts.id}`, `outcome 0/1 ${visits.id}`],
    ],
    ['a source', `?connection=${blog.state.id}`, ['event 0/2']],
    ['a destination', `?connection=${application.id}`, ['event 0/1', `outcome 0/1 ${carts.id}`]],
    ['a pipeline', `?pipeline=${carts.id}`, ['event 0/1', `outcome 0/1 ${carts.id}`]],
    ['a filter', `?filter=${filter('Read')}`, ['event 0/2']],
    [
      'an empty filter',
      '?filter=',
      ['event 0/1', 'event 0/2', `outcome 0/1 ${carts.id}`, `outcome 0/1 ${visits.id}`],
    ],
    ['a filter that nothing matches', `?filter=${filter('None')}`, []],
    ['a source and a pipeline', `?connection=${blog.state.id}&pipeline=${carts.id}`, []],
  ])('%s', async (_, query, expected) => {
    await start();
    const stream = await watch(query);
    await append(
      sampled(1),
      sampled(2, {
        from: blog.state.id,
        name: 'Read',
        members: { pipelines: [open_(visits.id, other.id)] },
      }),
      outcome(1),
      outcome(1, { pipeline: visits.id, connection: other.id }),
      outcome(9),
    );
    await append({ kind: 'dropped', workspace: WORKSPACE, source: blog.state.id, count: 999 });
    expect((await settled(stream)).filter((line) => !line.endsWith('999'))).toEqual(expected);
  });

  it('is the own of each of several who watch by other filters', async () => {
    await start();
    const [one, second] = [
      await watch(`?filter=${filter('Read')}`),
      await watch(`?filter=${filter('Bought')}`),
    ];
    await append(sampled(1), sampled(2, { name: 'Read' }));
    expect(await settled(one)).toEqual(['event 0/2']);
    expect(await settled(second)).toEqual(['event 0/1']);
  });

  it('is by a key of scope read no value that is masked', async () => {
    await start();
    const query = (property: string, value: string): string => {
      const conditions = [
        { property: 'type', operator: 'is', values: ['track'] },
        { property, operator: 'is', values: [value] },
      ];
      return `?filter=${encodeURIComponent(JSON.stringify({ logical: 'and', conditions }))}`;
    };
    for (const property of ['event', 'anonymousId', 'context.ip', 'userId']) {
      const answered = await send(stand.url(`/v1/events/live${query(property, '1.2.3.4')}`), {
        method: 'GET',
        headers: { Authorization: `Bearer ${reader.key}` },
      });
      expect([answered.status, jsonOf(answered)]).toMatchObject([
        403,
        {
          error: {
            code: 'Forbidden',
            details: [{ path: '/filter', message: expect.stringContaining(property) as string }],
          },
        },
      ]);
    }
    expect(announced()).toEqual([]);
    const [masked, second] = [
      await watch(query('type', 'track'), reader.key),
      await watch(query('messageId', 'm2'), reader.key),
    ];
    await append(sampled(1), sampled(2));
    expect(await settled(masked)).toEqual(['event 0/1', 'event 0/2']);
    expect(await settled(second)).toEqual(['event 0/2']);
  });

  it('is announced while somebody watches, each once, and not before', async () => {
    await start();
    expect(announced()).toEqual([]);
    const first = await watch();
    const second = await watch();
    const third = await watch(`?connection=${shop.state.id}&pipeline=${carts.id}`);
    await third.until(() => announced().at(-1)?.length === 2);
    expect(announced().at(-1)).toEqual([watched(), watched(shop.state.id, carts.id)]);
    for (const stream of [first, second, third]) stream.close();
    await third.until(() => announced().at(-1)?.length === 0);
  });

  it.each([
    ['?connection=nothing000000', 404, 'ConnectionNotExist', undefined],
    ['?connection=%00', 404, 'ConnectionNotExist', undefined],
    [`?connection=${foreign.state.id}`, 404, 'ConnectionNotExist', undefined],
    ['?pipeline=nothing000000', 404, 'PipelineNotExist', undefined],
    ['?pipeline=x', 404, 'PipelineNotExist', undefined],
    ['?filter=%7B', 400, 'BadRequest', '/filter'],
    ['?filter=7', 400, 'BadRequest', '/filter'],
    [
      `?filter=${encodeURIComponent('{"logical":"and","conditions":[{"property":"none","operator":"is","values":["a"]}]}')}`,
      400,
      'BadRequest',
      '/filter/conditions/0/property',
    ],
    ['?state=Rejected', 400, 'BadRequest', '/state'],
    ['?connection=a&connection=b', 400, 'BadRequest', '/connection'],
  ])('%s is refused: %d %s', async (query, status, code, path) => {
    await start();
    const headers = { Authorization: `Bearer ${writer.key}` };
    const answered = await send(stand.url(`/v1/events/live${query}`), { method: 'GET', headers });
    expect(answered.status).toBe(status);
    expect(jsonOf(answered)).toMatchObject({
      error: { code, ...(path !== undefined && { details: [{ path }] }) },
    });
    expect([announced(), stand.pipelineService.calls]).toEqual([[], []]);
  });

  it.each(['x', '-1', '1.5', '1'.repeat(16)])('Last-Event-ID %s is refused', async (id) => {
    await start();
    const headers = { Authorization: `Bearer ${writer.key}`, 'Last-Event-ID': id };
    const answered = await send(stand.url('/v1/events/live'), { method: 'GET', headers });
    expect(answered.status).toBe(400);
  });
});

describe('many clients', () => {
  it('200 of them get everything from one reading of the log', async () => {
    await start({ liveListeners: 200 });
    const all = await Promise.all(Array.from({ length: 200 }, () => watch('', reader.key)));
    await append(...Array.from({ length: 50 }, (_, number) => sampled(number)));
    for (const stream of all) await stream.has(50);
    expect(new Set(all.map((stream) => summary(stream).join()))).toEqual(
      new Set([Array.from({ length: 50 }, (_, number) => `event 0/${String(number)}`).join()]),
    );
    expect(follows).toBe(1);
  }, 60_000);

  it('of one workspace may be as many as are set, and no more', async () => {
    await start({ liveListeners: 2 });
    const first = await watch();
    await watch();
    const third = await open();
    expect([third.status, third.headers['retry-after']]).toEqual([
      429,
      expect.stringMatching(/^\d+$/) as string,
    ]);
    first.close();
    await third.until(() => announced().length > 2);
    await watch();
  });

  it('none may be when 0 is set', async () => {
    await start({ liveListeners: 0 });
    expect((await open()).status).toBe(429);
  });

  it('one that does not read loses samples, the others none', async () => {
    await start();
    const slow = await watch();
    const quick = await watch();
    slow.pause();
    await flood(quick);
    expect(summary(quick)).toHaveLength(FLOOD);
    slow.resume();
    let count = FLOOD;
    while (!slow.text.includes('SlowReader')) {
      await append(sampled(count));
      count += 1;
      await quick.has(count);
    }
    await slow.until(({ text }) => text.includes(`"id":"0/${String(count - 1)}"`));
    const shown = summary(slow);
    const dropped = shown.filter((line) => line.startsWith('dropped SlowReader'));
    expect(dropped).toHaveLength(1);
    const missed = Number(dropped[0]?.split(' ').at(-1));
    expect(missed).toBeGreaterThan(0);
    expect(shown.length - 1 + missed).toBe(count);
  }, 60_000);
});

describe('a client that comes back', () => {
  it('gets what it has missed, through another gateway, with outcomes of what it was shown', async () => {
    await start();
    const first = await watch();
    await append(sampled(1), sampled(2));
    await first.has(2);
    const id = first.lastId;
    expect(id).toBe('1');
    await stand.stop();
    await first.until(({ hasEnded }) => hasEnded);
    await append(outcome(1), sampled(3));
    const second = new GatewayStand(stand.log);
    stands = [second];
    second.pipelineService.answer('WatchEvents', {});
    await second.start();
    const again = await watch('', writer.key, { 'Last-Event-ID': id }, second);
    await append(outcome(3));
    await again.has(3);
    expect(summary(again)).toEqual([
      `outcome 0/1 ${carts.id}`,
      'event 0/3',
      `outcome 0/3 ${carts.id}`,
    ]);
  });

  it('misses nothing that is appended while it catches up, and gets nothing twice', async () => {
    await start();
    // Few enough to be written at once: what a client misses that reads slowly is another matter.
    await append(...Array.from({ length: 100 }, (_, number) => sampled(number)));
    const witness = await watch();
    const read = stand.log.read.bind(stand.log);
    jest.spyOn(stand.log, 'read').mockImplementation(async (...slice) => {
      const found = await read(...slice);
      await append(sampled(100), sampled(101));
      // They have come for the one that catches up too.
      await witness.has(2);
      return found;
    });
    const stream = await watch('', writer.key, { 'Last-Event-ID': '19' });
    expect(await settled(stream)).toEqual(
      Array.from({ length: 82 }, (_, index) => `event 0/${String(20 + index)}`),
    );
  });

  it.each([
    [2_000, [], ['event 0/1', 'event 0/2']],
    [2_001, ['dropped Expired null'], ['event 0/2']],
  ])('after %d records gets %j and the last 2,000', async (count, gaps, first) => {
    await start();
    // Mostly outcomes of events that it was not shown, so that everything it gets is written at once.
    const isEvent = (number: number): boolean => number < 3 || number % 50 === 0;
    const numbers = Array.from({ length: count }, (_, index) => index + 1);
    await append(
      sampled(0),
      ...numbers.map((number) => (isEvent(number) ? sampled(number) : outcome(9_999))),
    );
    const stream = await watch('', writer.key, { 'Last-Event-ID': '0' });
    const others = numbers.filter((number) => number > 2 && isEvent(number));
    expect(await settled(stream)).toEqual([
      ...gaps,
      ...first,
      ...others.map((number) => `event 0/${String(number)}`),
    ]);
  });

  it('to another log begins anew', async () => {
    await start();
    await append(sampled(1));
    const stream = await watch('', writer.key, { 'Last-Event-ID': '999999' });
    await append(sampled(2));
    expect(await settled(stream)).toEqual(['event 0/2']);
  });

  it('after the end that it has seen gets only what is new', async () => {
    await start();
    await append(sampled(1));
    const stream = await watch('', writer.key, { 'Last-Event-ID': '0' });
    await append(sampled(2));
    expect(await settled(stream)).toEqual(['event 0/2']);
  });
});

describe('the end', () => {
  it('does not come while its key, organization and workspace remain', async () => {
    await start();
    const stream = await watch();
    // It is looked at before the one whose key is revoked.
    const revoked = await watch('', reader.key);
    await stand.configure(organization({ apiKeys: [writer.record] }));
    await revoked.until(({ hasEnded }) => hasEnded);
    expect(await settled(stream)).toEqual([]);
    expect(stream.hasEnded).toBe(false);
  });

  it.each<[string, () => Promise<void>]>([
    ['its key is revoked', () => stand.configure(organization({ apiKeys: [reader.record] }))],
    [
      'its key expires',
      () => {
        const expiresAt = new Date(Date.now() + 100).toISOString() as Instant;
        return stand.configure(organization({ apiKeys: [{ ...writer.record, expiresAt }] }));
      },
    ],
    [
      'the organization is disabled',
      () => stand.configure(organization({ apiKeys, enabled: false })),
    ],
    [
      'its workspace is deleted',
      () => stand.configure({ ...workspace(), deleted: true } as ReturnType<typeof workspace>),
    ],
  ])('comes when %s', async (_, change) => {
    await start();
    const stream = await watch();
    await change();
    await stream.until(({ hasEnded }) => hasEnded);
    await stream.until(() => announced().at(-1)?.length === 0);
  });

  it('comes at once when the gateway stops, which begins no other stream while it drains', async () => {
    let endDrain: () => void = () => undefined;
    const drained = new Promise<void>((resolve) => (endDrain = resolve));
    const config = {
      PENSTOCK_HOST: '127.0.0.1',
      PENSTOCK_PORT: 0,
      PENSTOCK_TRUSTED_PROXIES: [],
      PENSTOCK_DRAIN_SECONDS: 5,
      PENSTOCK_SHUTDOWN_SECONDS: 25,
    };
    await start({ config, drainWait: () => drained });
    const stream = await watch();
    let isStopped = false;
    const stopped = stand.stop().then(() => (isStopped = true));
    await stream.until(({ hasEnded }) => hasEnded);
    expect((await open()).status).toBe(503);
    expect(isStopped).toBe(false);
    endDrain();
    await stopped;
    expect(announced().at(-1)).toEqual([]);
  });

  it('comes for a client that does not read too', async () => {
    const lines: string[] = [];
    const settings = { service: 'spec', LOG_LEVEL: 'warn', LOG_FORMAT: 'json' } as const;
    await start({ logger: createLogger(settings, { write: (line) => void lines.push(line) }) });
    const stream = await watch();
    const quick = await watch();
    stream.pause();
    await flood(quick);
    await stand.stop();
    // The server that drains would have cut it off, and said so.
    expect(lines).toEqual([]);
    stream.resume();
    await stream.until(({ hasEnded }) => hasEnded);
    expect(summary(stream).length).toBeLessThan(FLOOD);
  }, 60_000);

  it('comes when reading the log has ended by itself', async () => {
    let end: (cause: Error) => void = () => undefined;
    jest.spyOn(stand.log, 'follow').mockImplementation(async (options) => {
      const following = await follow(options);
      if (options.topic !== TOPIC.live) return following;
      return { ...following, ended: new Promise<Error>((resolve) => (end = resolve)) };
    });
    await start();
    const stream = await watch();
    end(new Error('broken'));
    await stream.until(({ hasEnded }) => hasEnded);
    const again = await watch();
    await append(sampled(1));
    expect(await settled(again)).toEqual(['event 0/1']);
  });
});
