import { CALLS_OF_ORGANIZATION, EVERY_CALL } from '../every-call';
import { expectRefused, FORBIDDEN, json, malformed, type Refused, refused } from '../refusal';
import { refuses, type Run, type Table } from '../table';
import { type Answer, bearer, type World, warehouseOf } from '../world';

/**
 * Variables with low limits, which leave room for one flow and its workspace. The key of all rows makes some two hundred
 * requests. What is spent does not come again within a test, however slow the machine: rates are one a second.
 */
export const LIMITS = {
  PENSTOCK_MAX_CONNECTORS: '1',
  PENSTOCK_MAX_CONNECTIONS: '6',
  PENSTOCK_MAX_PIPELINES: '3',
  PENSTOCK_MAX_WORKSPACES: '2',
  PENSTOCK_MAX_KEYS: '5',
  PENSTOCK_API_KEY_RATE: '1',
  PENSTOCK_API_KEY_BURST: '300',
  PENSTOCK_API_RATE: '1',
  PENSTOCK_API_BURST: '800',
  PENSTOCK_EVENT_RATE: '1',
  PENSTOCK_EVENT_BURST: '5',
} as const;

const PIPELINE = { name: 'P', target: 'Event', eventType: 'send_event' };
const CONNECTION = { name: 'S', role: 'Source', connector: 'nodejs' };
const DISABLED = refused('OrganizationDisabled', 'organization is disabled');

/** Requests that are under way together: more than the burst of a key. */
const MANY = 400;

/** Bursts of {@link MANY} that follow each other at most. */
const BURSTS = 6;

/** Creates objects one after the other until it is refused, and deletes them. */
const madeUntil = async (
  world: World,
  path: string,
  body: object,
  remove: (id: string) => Promise<unknown> = (id) => world.done(`DELETE ${path}/${id}`),
): Promise<{ readonly made: number; readonly last: Answer }> => {
  const ids: string[] = [];
  for (;;) {
    const last = await world.ask(`POST ${path}`, json(body));
    if (last.status !== 200 || ids.length > 20) {
      for (const id of ids) await remove(id);
      return { made: ids.length, last };
    }
    ids.push(String(last.json['id']));
  }
};

const disabled =
  (run: Run): Run =>
  async (world) => {
    await world.done('PUT /v1/organization/status', { enabled: false });
    try {
      await run(world);
    } finally {
      await world.done('PUT /v1/organization/status', { enabled: true });
    }
  };

const TOO_MANY: Refused = {
  status: 429,
  code: 'TooManyRequests',
  message: 'too many requests',
};

const EVENT = { type: 'track', event: 'Bad', userId: 'ada' };

const send = (world: World, body: object | string, headers: Record<string, string> = {}) =>
  world.ask('POST /v1/events', {
    headers: { ...bearer(world.ids.writeKey), ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** Sends so many events that the next one is admitted minutes later, unless the rate is spent already. */
const spendEvents = (world: World): Promise<Answer> =>
  send(
    world,
    Array.from({ length: 600 }, () => EVENT),
  );

const listing = (world: World, key: string) =>
  world.ask('GET /v1/connectors', { headers: bearer(key) });

/** Answers of bursts that follow each other without a pause, until one of them was refused. */
const untilRefused = async (
  request: (n: number) => Promise<Answer>,
): Promise<readonly Answer[]> => {
  const answers: Answer[] = [];
  for (let burst = 0; burst < BURSTS; burst++) {
    answers.push(...(await Promise.all(Array.from({ length: MANY }, (_, n) => request(n)))));
    if (answers.some(({ status }) => status !== 200)) return answers;
  }
  return answers;
};

const tooMany = (answers: readonly Answer[], burst: string): void => {
  const refusals = answers.filter(({ status }) => status !== 200);
  expect(refusals.length).toBeGreaterThan(0);
  for (const answer of refusals) {
    expectRefused(answer, TOO_MANY);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(answer.headers['ratelimit-remaining']).toBeDefined();
    expect(answer.headers['ratelimit-reset']).toBeDefined();
  }
  expect(refusals.map(({ headers }) => headers['ratelimit-limit'])).toContain(burst);
};

export const LIMITED: Table = {
  'organization cannot have more than N pipelines': async (world) => {
    const connection = world.ids.destination;
    const { made, last } = await madeUntil(world, '/v1/pipelines', { ...PIPELINE, connection });
    expect(made).toBe(2);
    expectRefused(
      last,
      refused('PipelinesLimitReached', 'organization cannot have more than 3 pipelines'),
    );
  },
  'order of checks: alignment before the limit of pipelines': async (world) => {
    const connection = world.ids.destination;
    const full = await world.made('POST /v1/pipelines', { ...PIPELINE, connection });
    const last = await world.made('POST /v1/pipelines', { ...PIPELINE, connection });
    expectRefused(
      await world.ask(
        'POST /v1/pipelines',
        json({ ...PIPELINE, connection, eventType: 'send_values' }),
      ),
      refused(
        'SchemaNotAligned',
        'output schema is not aligned with the event type schema',
        '/outSchema',
      ),
    );
    for (const id of [full, last]) await world.done(`DELETE /v1/pipelines/${id}`);
  },
  'organization cannot use more than N connectors': async (world) => {
    const connection = await world.made('POST /v1/connections', {
      name: 'D',
      role: 'Destination',
      connector: 'dummy',
    });
    expectRefused(
      await world.ask(
        'POST /v1/pipelines',
        json({ ...PIPELINE, connection, eventType: 'send_event_with_no_schema' }),
      ),
      refused('ConnectorsLimitReached', 'organization cannot use more than 1 connectors'),
    );
    await world.done(`DELETE /v1/connections/${connection}`);
  },
  'organization cannot have more than N connections': async (world) => {
    const { made, last } = await madeUntil(world, '/v1/connections', CONNECTION);
    expect(made).toBe(3);
    expectRefused(
      last,
      refused('ConnectionsLimitReached', 'organization cannot have more than 6 connections'),
    );
  },
  'organization cannot have more than N keys': async (world) => {
    const { made, last } = await madeUntil(world, '/v1/keys', { name: 'K', scope: 'read' });
    expect(made).toBe(4);
    expectRefused(last, refused('KeysLimitReached', 'organization cannot have more than 5 keys'));
  },
  'organization cannot have more than N workspaces': async (world) => {
    const settings = warehouseOf(world.databaseUrl);
    const body = { name: 'W', warehouse: { platform: 'PostgreSQL', settings } };
    expectRefused(
      await world.ask('POST /v1/workspaces', json(body)),
      refused('WorkspacesLimitReached', 'organization cannot have more than 2 workspaces'),
    );
  },
  'requests a second of a key: 429 with Retry-After and RateLimit-*': async (world) => {
    const { id, key } = await world.key({});
    const answers = await untilRefused(() => listing(world, key));
    await world.done(`DELETE /v1/keys/${id}`);
    tooMany(answers, LIMITS.PENSTOCK_API_KEY_BURST);
  },
  'events a second of an organization: 429 with Retry-After': async (world) => {
    expect((await spendEvents(world)).status).toBe(200);
    const answer = await send(world, [EVENT]);
    expectRefused(answer, TOO_MANY);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  },
  'order of checks of intake: key before rate': async (world) => {
    const { status } = await send(world, [EVENT], { Authorization: 'Bearer x' });
    expect(status).toBe(401);
  },
  'order of checks of intake: JSON before rate, rate before events': async (world) => {
    await spendEvents(world);
    expect((await send(world, 'no JSON')).status).toBe(400);
    const invalid = Array.from({ length: 5 }, () => ({}));
    expectRefused(await send(world, invalid), TOO_MANY);
  },
  'order of checks of intake: organization before rate and events': disabled(async (world) => {
    for (let times = 0; times < 2; times += 1) {
      const answer = await send(
        world,
        Array.from({ length: 5 }, () => ({})),
      );
      expectRefused(answer, { ...DISABLED, status: 503 });
    }
  }),
  'RateLimit-* on every answer': async (world) => {
    for (const call of ['GET /v1/connectors', 'GET /v1/pipelines/none', 'POST /v1/pipelines']) {
      const { headers } = await world.ask(call);
      for (const name of ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'])
        expect(headers[name]).toMatch(/^\d+$/);
    }
  },
  'every endpoint: organization is disabled': disabled(async (world) => {
    for (const [call, request] of [...EVERY_CALL, ...CALLS_OF_ORGANIZATION])
      expectRefused(await world.ask(call, request), DISABLED);
  }),
  'Set organization status: exempt from the check': disabled(async (world) => {
    await world.done('PUT /v1/organization/status', { enabled: false });
    await world.done('PUT /v1/organization/status', { enabled: true });
    expect((await world.ask('GET /v1/pipelines')).status).toBe(200);
  }),
  'Get organization: status, limits and use, also of a disabled one': async (world) => {
    const look = () => world.done('GET /v1/organization');
    const { limits, use } = await look();
    expect(limits).toEqual({ connectors: 1, connections: 6, pipelines: 3, workspaces: 2, keys: 5 });
    const { keys } = use as { keys: number };
    const made = await world.key({});
    expect((await look())['use']).toEqual({ ...(use as object), keys: keys + 1 });
    await world.done(`DELETE /v1/keys/${made.id}`);
    await disabled(async () => {
      expect(await look()).toMatchObject({ enabled: false, use });
    })(world);
  },
  'Set organization status: enabled is required and a boolean': {
    missing: refuses('PUT /v1/organization/status', json({}), malformed('/enabled')),
    text: refuses('PUT /v1/organization/status', json({ enabled: 'yes' }), malformed('/enabled')),
    null: refuses('PUT /v1/organization/status', json({ enabled: null }), malformed('/enabled')),
    'an unknown member': refuses(
      'PUT /v1/organization/status',
      json({ enabled: true, name: 'O' }),
      malformed('/name'),
    ),
  },
  'Set organization status: no key of one workspace may': async (world) => {
    const { id, key } = await world.key({ scope: 'admin', workspace: world.ids.workspace });
    const answer = await world.ask('PUT /v1/organization/status', { headers: bearer(key) });
    await world.done(`DELETE /v1/keys/${id}`);
    expectRefused(answer, FORBIDDEN);
  },
  'intake of a disabled organization is 503 with Retry-After': disabled(async (world) => {
    const answer = await world.ask('POST /v1/events', {
      headers: bearer(world.ids.writeKey),
      body: JSON.stringify({ type: 'track', event: 'E', userId: 'ada' }),
    });
    expectRefused(answer, { ...DISABLED, status: 503 });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  }),
  'order of checks: organization before workspace and content': disabled(async (world) => {
    const headers = { 'Penstock-Workspace': 'nothing000000' };
    expectRefused(await world.ask('POST /v1/pipelines', { headers, body: '{' }), DISABLED);
  }),
  'order of checks: scope before organization': async (world) => {
    const { id, key } = await world.key({});
    await disabled(async () => {
      expectRefused(await world.ask('POST /v1/pipelines', { headers: bearer(key) }), FORBIDDEN);
    })(world);
    await world.done(`DELETE /v1/keys/${id}`);
  },
  // The last one: no request of the organization is admitted after it.
  'requests a second of an organization: 429': async (world) => {
    // One key exists already; the requests are divided between these.
    const keys = [
      await world.key({}),
      await world.key({}),
      await world.key({}),
      await world.key({}),
    ];
    const answers = await untilRefused((n) => listing(world, keys[n % keys.length]?.key ?? ''));
    tooMany(answers, LIMITS.PENSTOCK_API_BURST);
  },
};
