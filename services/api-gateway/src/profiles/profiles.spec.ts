import {
  type ConnectionId,
  type PipelineId,
  type ProfileView,
  Refusal,
  type RefusalCode,
} from '@penstock/contracts';
import { GatewayStand } from '../testing/gateway.fixture';
import { type Answered, jsonOf, send } from '../testing/http.fixture';
import { apiKey, organization, workspace, WORKSPACE } from '../testing/installation.fixture';

const reader = apiKey('read');
const stand = new GatewayStand();
const { pipelineService } = stand;

beforeAll(async () => {
  await stand.configure(organization({ apiKeys: [reader.record] }), workspace());
  await stand.start();
});
afterAll(() => stand.stop());
beforeEach(() => {
  pipelineService.calls.length = 0;
});

const ID = 'c0ffee00-0000-4000-8000-000000000001';

const ask = (path: string): Promise<Answered> =>
  send(stand.url(`/v1/profiles${path}`), {
    method: 'GET',
    headers: { Authorization: `Bearer ${reader.key}` },
  });

const ATTRIBUTES = '{"email":"a@b.c","n":9223372036854775807}';

const SCHEMA = '{"kind":"object","properties":[]}';

const profile: ProfileView = {
  id: ID,
  createdAt: '2026-03-01T09:00:00.000000Z',
  updatedAt: '2026-03-01T09:30:00.123456Z',
  attributes: ATTRIBUTES,
};
const TIMES = '"createdAt":"2026-03-01T09:00:00.000000Z","updatedAt":"2026-03-01T09:30:00.123456Z"';

describe('a profile', () => {
  it('is answered to the last digit', async () => {
    pipelineService.answer('GetProfile', profile);
    const answered = await ask(`/${ID.toUpperCase()}`);
    expect(answered.status).toBe(200);
    expect(answered.text).toBe(`{"id":"${ID}",${TIMES},"attributes":${ATTRIBUTES}}`);
    expect(pipelineService.calls).toMatchObject([
      {
        name: 'GetProfile',
        about: WORKSPACE,
        in: { profile: ID, properties: null },
        metadata: { caller: { workspace: WORKSPACE } },
      },
    ]);
  });

  it('names the id that was merged into it', async () => {
    const mergedFrom = 'c0ffee00-0000-4000-8000-000000000002';
    pipelineService.answer('GetProfile', { ...profile, mergedFrom });
    expect(jsonOf(await ask(`/${mergedFrom}`))).toMatchObject({ id: ID, mergedFrom });
  });

  it('is answered by its attributes alone', async () => {
    pipelineService.answer('GetProfile', profile);
    expect((await ask(`/${ID}/attributes`)).text).toBe(`{"attributes":${ATTRIBUTES}}`);
  });

  it.each([
    ['', null],
    ['?properties=', null],
    ['?properties=a', ['a']],
    ['?properties=a,b&properties=c&properties=a', ['a', 'b', 'c']],
    ['?properties=a%2Cb', ['a', 'b']],
  ])('has the properties that are wanted: %s', async (query, properties) => {
    pipelineService.answer('GetProfile', profile);
    expect((await ask(`/${ID}${query}`)).status).toBe(200);
    expect(pipelineService.calls).toMatchObject([{ in: { properties } }]);
  });

  it.each([
    ['?properties=a,', '/properties'],
    ['?properties[]=a&properties[b]=c', '/properties[]'],
    ['?limit=1', '/limit'],
  ])('is not asked for with %s', async (query, path) => {
    const answered = await ask(`/${ID}${query}`);
    expect(answered.status).toBe(400);
    expect(jsonOf(answered)).toMatchObject({ error: { code: 'BadRequest', details: [{ path }] } });
    expect(pipelineService.calls).toEqual([]);
  });

  it.each(['x', ID.slice(1), `${ID}0`, `{${ID}}`])('of the id %s is 404', async (id) => {
    for (const path of [`/${encodeURIComponent(id)}`, `/${encodeURIComponent(id)}/attributes`])
      expect(jsonOf(await ask(path))).toMatchObject({
        error: { code: 'ProfileNotExist', message: 'profile does not exist' },
      });
    expect(pipelineService.calls).toEqual([]);
  });

  it.each<[RefusalCode, number]>([
    ['ProfileNotExist', 404],
    ['InvalidWarehouseSettings', 422],
    ['MaintenanceMode', 422],
    ['DifferentWarehouse', 422],
    ['ServiceUnavailable', 503],
  ])('is refused with %s: %i', async (code, status) => {
    pipelineService.answer('GetProfile', new Refusal(code));
    const answered = await ask(`/${ID}`);
    expect(answered.status).toBe(status);
    expect(jsonOf(answered)).toMatchObject({ error: { code } });
  });

  it('takes no other path: that of the schema is not one of a profile', async () => {
    expect(jsonOf(await ask('/schema'))).toMatchObject({
      error: { code: 'InvalidWarehouseSettings' },
    });
    expect(pipelineService.calls).toEqual([]);
  });
});

describe('a list of profiles', () => {
  const ALL = { properties: null, filter: null, order: null, orderDesc: null, count: false };
  const FIRST = { limit: 100, cursor: '' };
  const empty = { profiles: [], schema: SCHEMA, total: null, cursor: '' };

  it('is answered to the last digit', async () => {
    const cursor = `v2:object0000000001:${'a'.repeat(900)}`;
    pipelineService.answer('ListProfiles', {
      profiles: [profile],
      schema: SCHEMA,
      total: 7,
      cursor,
    });
    const answered = await ask('');
    expect(answered.status).toBe(200);
    expect(answered.text).toBe(
      `{"profiles":[{"id":"${ID}",${TIMES},"attributes":${ATTRIBUTES}}],"schema":${SCHEMA},"total":7,"cursor":"${cursor}"}`,
    );
    expect(pipelineService.calls).toMatchObject([
      { name: 'ListProfiles', about: WORKSPACE, in: { ...ALL, ...FIRST } },
    ]);
  });

  it.each([
    ['?filter=', {}],
    ['?filter=null', {}],
    [
      `?filter=${encodeURIComponent('{"logical":"and", "conditions":[]}')}`,
      { filter: '{"logical":"and","conditions":[]}' },
    ],
    ['?order=a.b&orderDesc=false', { order: 'a.b', orderDesc: false }],
    ['?orderDesc=true&count=true', { orderDesc: true, count: true }],
    ['?properties=a,b', { properties: ['a', 'b'] }],
    ['?limit=1000', { limit: 1_000 }],
    [`?cursor=${'x'.repeat(4_000)}`, { cursor: 'x'.repeat(4_000) }],
  ])('is asked for with %s', async (query, expected) => {
    pipelineService.answer('ListProfiles', empty);
    expect((await ask(query)).text).toBe(
      `{"profiles":[],"schema":${SCHEMA},"total":null,"cursor":""}`,
    );
    expect(pipelineService.calls).toMatchObject([{ in: { ...ALL, ...FIRST, ...expected } }]);
  });

  it.each([
    ['?filter=x', '/filter'],
    ['?filter=[]', '/filter'],
    ['?order=a&order=b', '/order'],
    ['?orderDesc=1', '/orderDesc'],
    ['?count=yes', '/count'],
    ['?limit=1001', '/limit'],
    [`?cursor=${'x'.repeat(4_001)}`, '/cursor'],
    ['?offset=1', '/offset'],
  ])('is not asked for with %s', async (query, path) => {
    const answered = await ask(query);
    expect(answered.status).toBe(400);
    expect(jsonOf(answered)).toMatchObject({ error: { code: 'BadRequest', details: [{ path }] } });
    expect(pipelineService.calls).toEqual([]);
  });

  it.each<[RefusalCode, string]>([
    ['OrderNotExist', 'order does not exist'],
    ['OrderTypeNotSortable', 'type of the order cannot be sorted'],
    ['MaintenanceMode', 'data warehouse is in maintenance mode'],
  ])('is refused with %s: 422', async (code, message) => {
    pipelineService.answer('ListProfiles', new Refusal(code));
    const answered = await ask('');
    expect(answered.status).toBe(422);
    expect(jsonOf(answered)).toMatchObject({ error: { code, message } });
  });
});

describe('the identities of a profile', () => {
  const path = `/${ID}/identities`;

  it('are answered in pages', async () => {
    const identity = {
      ...{ userId: 'ada', anonymousIds: ['a'], connection: 'object0000000001' as ConnectionId },
      ...{ pipeline: 'object0000000003' as PipelineId, profile: ID },
      updatedAt: '2026-03-01T09:30:00.123456Z',
    };
    pipelineService.answer('ListProfileIdentities', { identities: [identity], cursor: 'c' });
    expect(jsonOf(await ask(`${path}?limit=1&cursor=c`))).toEqual({
      identities: [identity],
      cursor: 'c',
    });
    expect(pipelineService.calls).toMatchObject([
      { about: WORKSPACE, in: { profile: ID, limit: 1, cursor: 'c' } },
    ]);
  });

  it('are those of a profile', async () => {
    expect((await ask('/x/identities')).status).toBe(404);
    expect((await ask(`${path}?limit=0`)).status).toBe(400);
    expect(pipelineService.calls).toEqual([]);
    pipelineService.answer('ListProfileIdentities', new Refusal('ProfileNotExist'));
    expect((await ask(path)).status).toBe(404);
  });
});

describe('the links of a profile', () => {
  const path = `/${ID}/links`;

  it('are answered in pages', async () => {
    const identity = {
      userId: 'ada',
      connection: 'object0000000001' as ConnectionId,
      pipeline: 'object0000000003' as PipelineId,
    };
    const link = {
      ...{ rule: 'd' as const, identifier: 'email', value: 'ada@example.com' },
      ...{ identities: [identity], count: 2 },
    };
    pipelineService.answer('ListProfileLinks', { links: [link], cursor: 'c' });
    expect(jsonOf(await ask(`${path}?limit=1&cursor=c`))).toEqual({ links: [link], cursor: 'c' });
    expect(pipelineService.calls).toMatchObject([
      { about: WORKSPACE, in: { profile: ID, limit: 1, cursor: 'c' } },
    ]);
  });

  it('are those of a profile', async () => {
    expect((await ask('/x/links')).status).toBe(404);
    expect((await ask(`${path}?limit=0`)).status).toBe(400);
    expect(pipelineService.calls).toEqual([]);
    pipelineService.answer('ListProfileLinks', new Refusal('ProfileNotExist'));
    expect((await ask(path)).status).toBe(404);
  });
});

describe('the history of a profile', () => {
  const path = `/${ID}/history`;

  it('is answered in pages', async () => {
    const past = {
      ...{ type: 'ProfilesMerged' as const, time: '2026-03-01T09:30:00.123456Z', reason: null },
      ...{ from: [ID, 'x'], to: [ID], joinedBy: [{ rule: 'd' as const, identifier: 'email' }] },
    };
    pipelineService.answer('ListProfileHistory', { history: [past], cursor: 'c' });
    expect(jsonOf(await ask(`${path}?limit=1&cursor=c`))).toEqual({ history: [past], cursor: 'c' });
    expect(pipelineService.calls).toMatchObject([
      { about: WORKSPACE, in: { profile: ID, limit: 1, cursor: 'c' } },
    ]);
  });

  it('is that of a profile', async () => {
    expect((await ask('/x/history')).status).toBe(404);
    expect((await ask(`${path}?limit=0`)).status).toBe(400);
    pipelineService.answer('ListProfileHistory', new Refusal('ProfileNotExist'));
    expect((await ask(path)).status).toBe(404);
  });
});

describe('the events of a profile', () => {
  const path = `/${ID}/events`;

  it('are answered in pages', async () => {
    const event = `{"messageId":"m","traits":{"n":1.50},"profileId":"${ID}"}`;
    pipelineService.answer('ListProfileEvents', { events: [event], cursor: 'c' });
    const query = '?properties=messageId,traits&from=2026-03-01T09:30:00Z&limit=1&cursor=c';
    expect((await ask(`${path}${query}`)).text).toBe(`{"events":[${event}],"cursor":"c"}`);
    expect(pipelineService.calls).toMatchObject([
      {
        about: WORKSPACE,
        in: {
          ...{ profile: ID, properties: ['messageId', 'traits'] },
          ...{ from: '2026-03-01T09:30:00.000Z', to: null, limit: 1, cursor: 'c' },
        },
      },
    ]);
  });

  it('are those of a profile, without a filter', async () => {
    expect((await ask('/x/events')).status).toBe(404);
    for (const query of ['?filter={}', '?order=type', '?from=today', '?limit=0'])
      expect((await ask(`${path}${query}`)).status).toBe(400);
    expect(pipelineService.calls).toEqual([]);
    pipelineService.answer('ListProfileEvents', new Refusal('ProfileNotExist'));
    expect((await ask(path)).status).toBe(404);
  });
});
