import {
  type ConnectionState,
  type EndedDeliveries,
  idempotencyKey,
  type Instant,
  outcomesKey,
  type PipelineId,
  type EventPipelineState,
  TOPIC,
  writeOutcomes,
} from '@penstock/contracts';
import { type Answered, jsonOf, send } from '../testing/http.fixture';
import { GatewayStand } from '../testing/gateway.fixture';
import {
  destination,
  organization,
  pipelineOn,
  source,
  workspace,
} from '../testing/installation.fixture';
import { openPage, type OpenPage } from '@penstock/test-servers';
import { until } from '../testing/until.fixture';

const application: ConnectionState = destination('demo000000000001', { connector: 'dummy' });
const shop = source('nodejs', '{}', { links: [application.id] });
const unlinked = source('nodejs');

const carts = pipelineOn(application, {
  name: 'Carts',
  filter: JSON.stringify({
    logical: 'and',
    conditions: [
      { property: 'type', operator: 'is', values: ['track'] },
      { property: 'properties.plan.name', operator: 'is', values: ['<b>Pro</b>'] },
    ],
  }),
  transformation: {
    mapping: { email: 'concat(userId, "@example.com")', 'item.id': 'properties.id' },
    function: null,
  },
  outSchema: JSON.stringify({
    kind: 'object',
    properties: [
      { name: 'email', type: { kind: 'string' } },
      {
        name: 'item',
        type: {
          kind: 'object',
          properties: [{ name: 'id', type: { kind: 'int', bitSize: 64 } }],
        },
      },
    ],
  }),
});

const PRO = { plan: { name: '<b>Pro</b>' }, id: 1 };

let stand: GatewayStand;
let kept: { idempotencyKey: string; body: string }[];
let asked: string[];
let history: { position: number; state: EventPipelineState }[];

beforeEach(async () => {
  stand = new GatewayStand();
  kept = [];
  asked = [];
  await stand.configure(
    organization(),
    workspace(),
    shop.state,
    unlinked.state,
    application,
    carts,
  );
  history = [{ position: stand.published, state: carts }];
  await stand.start({
    demoDestination: application.id,
    dummyStore: {
      list: () => Promise.resolve(kept),
      userCounts: () => Promise.resolve({ users: 0, created: 0, updated: 0 }),
    },
    history: {
      pipelineStates: (id, from, to) => {
        asked.push(`${id} ${String(from)} ${String(to)}`);
        return Promise.resolve(history.filter(({ position }) => position < to));
      },
    },
  });
});

afterEach(() => stand.stop());

const get = (path: string, host = '127.0.0.1'): Promise<Answered> =>
  send(stand.url(path), { method: 'GET', headers: { Host: host } });

const accept = async (event: object, { key } = shop): Promise<void> => {
  const headers = { Authorization: `Bearer ${key}` };
  const { status, text } = await send(stand.url('/v1/events'), {
    headers,
    body: JSON.stringify({ type: 'track', event: 'E', userId: 'Ada', ...event }),
  });
  expect([status, text]).toEqual([200, '{"accepted":1}']);
};

interface Shown {
  readonly id: string;
  readonly event: string;
  readonly isRepeated: boolean;
  readonly pipelines: readonly Record<string, unknown>[];
}

const shown = async (): Promise<readonly Shown[]> => {
  const { status, text } = await get('/demo/events');
  expect({ status, text: status === 200 ? '' : text }).toEqual({ status: 200, text: '' });
  return (JSON.parse(text) as { events: Shown[] }).events;
};

const newest = async (): Promise<Shown | undefined> => (await shown())[0];

const ends = (offset: number, ended: Partial<EndedDeliveries>): Promise<unknown> => {
  const place = { partition: 0, epoch: 1, sequence: offset + 1 };
  const outcome: EndedDeliveries = {
    pipeline: carts.id,
    version: 1,
    state: 'Delivered',
    code: '',
    attempts: 1,
    at: '2026-03-01T09:30:00.000Z' as Instant,
    status: null,
    offsets: [offset],
    ...ended,
  };
  const [value = ''] = writeOutcomes(place, [outcome]);
  return stand.log.append(TOPIC.outcomes, [{ key: outcomesKey(0), value }]);
};

describe('the answer', () => {
  it('has the verdict of each condition with its value, and why the rest was not reached', async () => {
    await accept({ properties: { plan: { name: 'Free' } } });
    const steps = (await newest())?.pipelines[0];
    expect(steps).toMatchObject({
      name: 'Carts',
      matches: false,
      filter: {
        logical: 'and',
        conditions: [
          { property: 'type', operands: ['track'], value: '"track"', holds: true },
          { property: 'properties.plan.name', value: '"Free"', holds: false },
        ],
      },
      mapping: null,
      outcome: null,
      received: null,
    });
  });

  it('has no value where the event has none', async () => {
    await accept({});
    const steps = (await newest())?.pipelines[0];
    const { conditions } = steps?.['filter'] as { conditions: object[] };
    expect(conditions[1]).toMatchObject({ holds: false });
    expect(conditions[1]).not.toHaveProperty('value');
  });

  it('has the mapped values to the last digit, the outcome and what was received', async () => {
    const id = '9007199254740993';
    const body = JSON.stringify({
      type: 'track',
      event: 'E',
      userId: 'Ada',
      messageId: 'm',
      properties: PRO,
    });
    const headers = { Authorization: `Bearer ${shop.key}` };
    await send(stand.url('/v1/events'), { headers, body: body.replace('"id":1', `"id":${id}`) });
    await ends(0, { attempts: 2 });
    kept = [{ idempotencyKey: idempotencyKey(shop.state.id, 'm', carts.id), body: '{"got":1}' }];
    const { event, pipelines } = (await newest()) ?? {};
    expect(event).toContain(`"id":${id}`);
    expect(pipelines?.[0]).toMatchObject({
      matches: true,
      mapping: {
        values: [
          {
            property: 'email',
            expression: 'concat(userId, "@example.com")',
            value: '"Ada@example.com"',
          },
          { property: 'item.id', expression: 'properties.id', value: id },
        ],
        error: null,
      },
      outcome: { state: 'Delivered', attempts: '2', at: '2026-03-01T09:30:00.000Z', status: null },
      received: '{"got":1}',
    });
  });

  it('has the reason why a mapping fails', async () => {
    await accept({ properties: { ...PRO, id: 'none' } });
    await ends(0, { state: 'Rejected', attempts: 0 });
    const steps = (await newest())?.pipelines[0];
    expect(steps).toMatchObject({
      mapping: {
        values: [{ value: '"Ada@example.com"' }, { value: '"none"' }],
        error: expect.stringMatching(/^item\.id = properties\.id: does not convert/) as string,
      },
      outcome: { state: 'Rejected', attempts: '0' },
    });
  });

  it('has outcomes that are recorded later', async () => {
    await accept({ properties: PRO });
    expect((await shown())[0]?.pipelines[0]).toMatchObject({ outcome: null });
    await ends(0, { state: 'Rejected', code: '404', status: 404 });
    expect((await shown())[0]?.pipelines[0]).toMatchObject({
      outcome: { state: 'Rejected', code: '404', status: '404' },
    });
  });

  it('has the version of the pipeline at the position of the event', async () => {
    await accept({ messageId: 'before' });
    const newer = { ...carts, name: 'Newer', version: 2, filter: null };
    await stand.configure(newer);
    history = [...history, { position: stand.published, state: newer }];
    await accept({ messageId: 'after' });
    const found = (await shown()).map(({ pipelines: [steps] }) => [
      steps?.['name'],
      steps?.['matches'],
    ]);
    expect(found).toEqual([
      ['Newer', true],
      ['Carts', false],
    ]);
  });

  it('asks for the history once for events at known positions', async () => {
    await accept({});
    await accept({});
    await shown();
    await accept({});
    expect(await shown()).toHaveLength(3);
    expect(asked).toHaveLength(1);
  });

  it('marks an event whose message id was known', async () => {
    await accept({ messageId: 'm' });
    await accept({ messageId: 'm' });
    await accept({ messageId: 'm', userId: 'Bob' });
    expect((await shown()).map(({ isRepeated }) => isRepeated)).toEqual([false, true, false]);
  });

  it('has linked sources only, the newest 50 events of them, newest first', async () => {
    for (let n = 0; n < 51; n += 1) await accept({ messageId: `m${String(n)}` });
    await accept({ messageId: 'elsewhere' }, unlinked);
    const ids = (await shown()).map(
      ({ event }) => (JSON.parse(event) as { messageId: string }).messageId,
    );
    expect(ids).toEqual(Array.from({ length: 50 }, (_, n) => `m${String(50 - n)}`));
  });

  it('has no event of a source that is not linked any more', async () => {
    await accept({});
    expect(await shown()).toHaveLength(1);
    await stand.configure({ ...shop.state, version: 2, links: [] });
    expect(await shown()).toEqual([]);
  });

  it('has no pipeline that came later', async () => {
    await accept({});
    const later = pipelineOn(application, { id: 'later0000000001' as PipelineId });
    await stand.configure(later);
    history = [];
    expect((await shown())[0]?.pipelines).toEqual([]);
  });
});

describe('who may look', () => {
  const PATHS = ['/demo', '/demo/demo.js', '/demo/demo.css', '/demo/source', '/demo/events'];

  it.each(PATHS)('%s is for this origin only', async (path) => {
    const { status, headers } = await get(path);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; script-src 'self'; style-src 'self'; .*frame-ancestors 'none'; require-trusted-types-for 'script'$/,
      ) as string,
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it.each(PATHS)('%s is not shown under a name, which another site may own', async (path) => {
    const refused = await get(path, 'penstock.example.com');
    expect(refused.status).toBe(404);
    expect(jsonOf(refused)).toMatchObject({ error: { code: 'NotFound' } });
    expect(refused.text).not.toContain(shop.key);
  });

  it.each(PATHS)(
    '%s is not shown to a proxy on this machine, which sends for others',
    async (path) => {
      const headers = { Host: '127.0.0.1', 'X-Forwarded-For': '192.0.2.1' };
      const refused = await send(stand.url(path), { method: 'GET', headers });
      expect(refused.status).toBe(404);
      expect(jsonOf(refused)).toMatchObject({
        error: { code: 'NotFound', message: expect.stringContaining('PENSTOCK_DEMO') as string },
      });
      expect(refused.text).not.toContain(shop.key);
      expect(await send(stand.url('/'), { method: 'GET', headers })).toMatchObject({
        headers: { location: '/v1/docs' },
      });
    },
  );

  it.each([
    [undefined, 404, '/v1/docs'],
    [false, 404, '/v1/docs'],
    [true, 200, '/demo'],
  ])('PENSTOCK_DEMO %p answers %d to a proxy and leads to %s', async (isForAll, status, start) => {
    const other = new GatewayStand(stand.log);
    await other.start({
      config: {
        PENSTOCK_HOST: '127.0.0.1',
        PENSTOCK_PORT: 0,
        PENSTOCK_TRUSTED_PROXIES: [],
        PENSTOCK_DEMO: isForAll,
      },
      demoDestination: application.id,
      history: { pipelineStates: () => Promise.resolve([]) },
    });
    const headers = { Host: '127.0.0.1', Forwarded: 'for=192.0.2.1' };
    const ask = (path: string) => send(other.url(path), { method: 'GET', headers });
    try {
      expect((await ask('/demo/source')).status).toBe(status);
      expect(await ask('/')).toMatchObject({ headers: { location: start } });
    } finally {
      await other.stop();
    }
  });

  it('contains no key', async () => {
    for (const path of ['/demo', '/demo/demo.js', '/demo/events'])
      expect((await get(path)).text).not.toContain(shop.key);
    expect(jsonOf(await get('/demo/source'))).toEqual({ writeKey: shop.key });
  });

  it('gives no key when no source is linked any more', async () => {
    await stand.configure({ ...shop.state, version: 2, links: [] });
    expect(jsonOf(await get('/demo/source'))).toEqual({ writeKey: null });
  });
});

describe('the address itself', () => {
  it('leads to the demo', async () => {
    expect(await get('/')).toMatchObject({ status: 302, headers: { location: '/demo' } });
  });

  it('leads to the document where there is no demo, which then is 404', async () => {
    const plain = new GatewayStand();
    await plain.start();
    const ask = (path: string) => send(plain.url(path), { method: 'GET' });
    expect(await ask('/')).toMatchObject({ status: 302, headers: { location: '/v1/docs' } });
    for (const path of ['/demo', '/demo/source', '/demo/events'])
      expect(await ask(path)).toMatchObject({ status: 404 });
    await plain.stop();
  });

  it('takes no other method', async () => {
    expect(await send(stand.url('/'), { method: 'POST' })).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD' },
    });
  });
});

describe('the page', () => {
  let page: OpenPage;

  beforeEach(async () => {
    page = await openPage(stand.url('/demo'));
  });

  afterEach(() => page.close());

  const one = (selector: string): HTMLElement => {
    const found = page.window.document.querySelector<HTMLElement>(selector);
    if (found === null) throw new Error(`the page has no ${selector}`);
    return found;
  };

  const textOf = (selector: string): string => one(selector).textContent;

  const says = (words: string): Promise<void> =>
    until(`the page says ${words}`, () => textOf('body').includes(words));

  const sends = (body: string): void => {
    (one('#body') as HTMLTextAreaElement).value = body;
    one('#send').click();
  };

  it('sends the sample as it is edited, and shows what becomes of it', async () => {
    const sample = (one('#body') as HTMLTextAreaElement).value;
    expect(JSON.parse(sample) as unknown).toMatchObject({ event: 'Add to Cart' });
    sends(sample.replace('"item_id"', '"item_number"'));
    await says('200: 1 accepted');
    await says('Filtered out by properties.plan.name');
    expect(textOf('#events > li')).toContain('"item_number": 42');
  });

  it('shows the values, the outcome and what was received', async () => {
    await accept({ messageId: 'm', properties: PRO });
    await says('No answer is recorded yet');
    kept = [{ idempotencyKey: idempotencyKey(shop.state.id, 'm', carts.id), body: '{"got":[]}' }];
    await ends(0, { attempts: 3 });
    await says('Delivered: 3 requests');
    expect(textOf('#events')).toContain('"Ada@example.com"');
    expect(textOf('#events')).toContain('"got": []');
  });

  it('shows what intake refuses, with the place', async () => {
    sends('{"type":"track","event":5,"userId":"Ada"}');
    await until('the event is refused', () => /^400: .*; \/event /.test(textOf('#answer')));
    sends('{"type":"track","event":"E","userId":"Ada"}');
    await until('the next is accepted', () => textOf('#answer') === '200: 1 accepted');
    sends('{"type":');
    await until('the last is refused', () => textOf('#answer').startsWith('400: '));
  });

  it('keeps open what was opened while it refreshes', async () => {
    await accept({ messageId: 'm', properties: PRO });
    await says('No answer is recorded yet');
    (one('#events details') as HTMLDetailsElement).open = true;
    await ends(0, {});
    await says('Delivered: 1 request');
    expect((one('#events details') as HTMLDetailsElement).open).toBe(true);
  });

  it('never parses texts of events as HTML', async () => {
    const evil =
      '</pre><img src="x" onerror="window.injected = true"><script>window.injected = true</script>';
    await accept({
      event: evil,
      userId: evil,
      messageId: evil,
      integrations: { [evil]: true },
      properties: { [evil]: evil, plan: { name: '<b>Pro</b>' }, id: evil },
    });
    await ends(0, { state: 'Rejected', code: evil });
    kept = [
      {
        idempotencyKey: idempotencyKey(shop.state.id, evil, carts.id),
        body: JSON.stringify({ evil }),
      },
    ];
    await says('Rejected: code </pre>');
    await says('What the destination received');
    const { document } = page.window;
    expect(textOf('#events h3')).toBe(`track · ${evil}`);
    expect(document.querySelectorAll('#events :is(img, script, b, a, iframe)')).toHaveLength(0);
    expect(page.window).not.toHaveProperty('injected');
  });
});
