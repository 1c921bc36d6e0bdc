import { type JsonString, type ProfileView, Refusal, type RefusalCode } from '@penstock/contracts';
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

const profile: ProfileView = {
  id: ID,
  createdAt: '2026-03-01T09:00:00.000000Z',
  updatedAt: '2026-03-01T09:30:00.123456Z',
  attributes: ATTRIBUTES as JsonString,
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
