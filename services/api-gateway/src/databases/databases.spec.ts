import { Refusal } from '@penstock/contracts';
import { GatewayStand } from '../testing/gateway.fixture';
import { type Answered, jsonOf, send } from '../testing/http.fixture';
import { apiKey, organization, workspace, WORKSPACE } from '../testing/installation.fixture';

const reader = apiKey('read');
const writer = apiKey('write');
const stand = new GatewayStand();
const { pipelineService } = stand;

beforeAll(async () => {
  const apiKeys = [reader.record, writer.record];
  await stand.configure(organization({ apiKeys }), workspace());
  await stand.start();
});
afterAll(() => stand.stop());
beforeEach(() => {
  pipelineService.calls.length = 0;
});

const ID = 'object0000000001';

const query = (body: unknown, { key } = writer, id = ID): Promise<Answered> =>
  send(stand.url(`/v1/connections/${id}/query`), {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const columns = (parameters: string, { key } = reader, id = ID): Promise<Answered> =>
  send(stand.url(`/v1/connections/${id}/tables${parameters}`), {
    method: 'GET',
    headers: { Authorization: `Bearer ${key}` },
  });

const SCHEMA =
  '{"kind":"object","properties":[{"name":"n","type":{"kind":"int","bitSize":64},"description":""}]}';
const EXCERPT = {
  rows: ['{"n":9223372036854775806}', '{"n":12345678901234567}'],
  schema: SCHEMA,
  issues: ['row 3: is bad'],
};
const x = (length: number): string => 'x'.repeat(length);

it('a query is answered with every digit', async () => {
  pipelineService.answer('QueryDatabase', EXCERPT);
  expect(await query({ query: 'SELECT n FROM t', limit: 2 })).toMatchObject({
    status: 200,
    text: `{"rows":[${EXCERPT.rows.join(',')}],"schema":${SCHEMA},"issues":["row 3: is bad"]}`,
  });
  expect(pipelineService.calls).toMatchObject([
    { name: 'QueryDatabase', about: ID, metadata: { caller: { workspace: WORKSPACE } } },
  ]);
  expect(pipelineService.calls[0]?.in).toEqual({
    connection: ID,
    query: 'SELECT n FROM t',
    limit: 2,
  });
});

it.each<[object, number]>([
  [{}, 100],
  [{ limit: 0 }, 0],
  [{ limit: 100 }, 100],
])('a query with %j has the limit %i', async (more, limit) => {
  pipelineService.answer('QueryDatabase', EXCERPT);
  expect((await query({ query: x(10_000), ...more })).status).toBe(200);
  expect(pipelineService.calls[0]?.in).toMatchObject({ limit });
});

it.each<[unknown, string]>([
  [{}, '/query'],
  [{ query: '' }, '/query'],
  [{ query: x(10_001) }, '/query'],
  [{ query: 1 }, '/query'],
  [{ query: null }, '/query'],
  [{ query: 'a\0' }, '/query'],
  [{ query: 'a', limit: 101 }, '/limit'],
  [{ query: 'a', limit: -1 }, '/limit'],
  [{ query: 'a', limit: 1.5 }, '/limit'],
  [{ query: 'a', limit: null }, '/limit'],
  [{ query: 'a', offset: 1 }, '/offset'],
])('a malformed query is answered 400: %j', async (body, path) => {
  const answered = await query(body);
  expect([answered.status, jsonOf(answered)]).toMatchObject([
    400,
    { error: { details: [{ path }] } },
  ]);
  expect(pipelineService.calls).toEqual([]);
});

it('a query needs a key of scope write', async () => {
  expect((await query({ query: 'a' }, reader)).status).toBe(403);
  expect(pipelineService.calls).toEqual([]);
});

it('the columns of a table are listed for any key', async () => {
  pipelineService.answer('GetTableColumns', { schema: SCHEMA, issues: [] });
  expect((await columns(`?name=${encodeURIComponent('Ü t')}`)).text).toBe(
    `{"schema":${SCHEMA},"issues":[]}`,
  );
  expect(pipelineService.calls[0]?.in).toEqual({ connection: ID, name: 'Ü t' });
});

it.each(['', '?name=', `?name=${x(1_025)}`, '?name=a%00', '?name=a&name=b'])(
  'a malformed name of a table is answered 400: %s',
  async (parameters) => {
    const answered = await columns(parameters);
    expect([answered.status, jsonOf(answered)]).toMatchObject([
      400,
      { error: { details: [{ path: '/name' }] } },
    ]);
    expect(pipelineService.calls).toEqual([]);
  },
);

it('a name of a table may have 1,024 characters', async () => {
  pipelineService.answer('GetTableColumns', { schema: SCHEMA, issues: [] });
  expect((await columns(`?name=${x(1_024)}`)).status).toBe(200);
});

it.each([
  ['InvalidQuery', 422],
  ['InvalidPlaceholder', 422],
  ['ConnectionNotExist', 404],
  ['ServiceUnavailable', 503],
] as const)('a refusal %s of a query is answered %i', async (code, status) => {
  pipelineService.answer('QueryDatabase', new Refusal(code));
  const answered = await query({ query: 'a' });
  expect([answered.status, jsonOf(answered)]).toMatchObject([status, { error: { code } }]);
});

it.each([
  ['TableNotExist', 422],
  ['ConnectionNotExist', 404],
  ['ServiceUnavailable', 503],
] as const)('a refusal %s of columns is answered %i', async (code, status) => {
  pipelineService.answer('GetTableColumns', new Refusal(code));
  const answered = await columns('?name=a');
  expect([answered.status, jsonOf(answered)]).toMatchObject([status, { error: { code } }]);
});

it('an id of the wrong form is answered 404', async () => {
  for (const answered of [
    await query({ query: 'a' }, writer, 'x'),
    await columns('?name=a', reader, 'x'),
  ])
    expect([answered.status, jsonOf(answered)]).toMatchObject([
      404,
      { error: { code: 'ConnectionNotExist' } },
    ]);
  expect(pipelineService.calls).toEqual([]);
});
