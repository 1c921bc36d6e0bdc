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
const ask = (path: string, { key } = reader, id = ID): Promise<Answered> =>
  send(stand.url(`/v1/connections/${id}/files${path}`), {
    method: 'GET',
    headers: { Authorization: `Bearer ${key}` },
  });

const encoded = encodeURIComponent;
const SCHEMA =
  '{"kind":"object","properties":[{"name":"n","type":{"kind":"int","bitSize":64,"maximum":9223372036854775806},"description":""}]}';
const NONE = { records: [], schema: SCHEMA, issues: [] };
const EXCERPT = {
  records: ['{"n":9223372036854775806}', '{"n":12345678901234567}'],
  schema: SCHEMA,
  issues: ['row 2: is bad'],
};
const PLAIN = { path: 'a.csv', format: 'csv', compression: '', formatSettings: '{}' };

it.each([
  ['path=a.csv&format=csv', { ...PLAIN, sheet: null, limit: 0 }],
  ['path=a.csv&format=csv&compression=&formatSettings=', { ...PLAIN, sheet: null, limit: 0 }],
  [
    `path=${encoded('in/ü.xlsx')}&format=excel&sheet=${encoded('Sheet 1')}&compression=Zip&limit=100&formatSettings=${encoded('{"n":1.50, "s":"ü"}')}`,
    {
      path: 'in/ü.xlsx',
      format: 'excel',
      sheet: 'Sheet 1',
      compression: 'Zip',
      limit: 100,
      formatSettings: '{"n":1.50,"s":"ü"}',
    },
  ],
])('an excerpt is read with the parameters of %s, with every digit', async (query, input) => {
  pipelineService.answer('ReadFile', EXCERPT);
  const answered = await ask(`?${query}`);
  expect(answered).toMatchObject({
    status: 200,
    text: `{"records":[${EXCERPT.records.join(',')}],"schema":${SCHEMA},"issues":["row 2: is bad"]}`,
  });
  expect(pipelineService.calls).toMatchObject([
    { name: 'ReadFile', about: ID, metadata: { caller: { workspace: WORKSPACE } } },
  ]);
  expect(pipelineService.calls[0]?.in).toEqual({ connection: ID, withValues: false, ...input });
});

it.each([
  [reader, false],
  [writer, true],
])('values are shown to keys that may see them', async (key, withValues) => {
  pipelineService.answer('ReadFile', NONE);
  await ask('?path=a&format=csv', key);
  expect(pipelineService.calls[0]?.in).toMatchObject({ withValues });
});

it('sheets are listed', async () => {
  pipelineService.answer('ListSheets', { sheets: ['B', 'A'] });
  expect((await ask('/sheets?path=a.csv&format=csv')).text).toBe('{"sheets":["B","A"]}');
  expect(pipelineService.calls).toMatchObject([{ name: 'ListSheets', about: ID }]);
  expect(pipelineService.calls[0]?.in).toEqual({ connection: ID, ...PLAIN });
});

it('absolute paths are shown', async () => {
  pipelineService.answer('GetAbsolutePath', { path: 's3://bucket/ü' });
  expect((await ask(`/absolute?path=${encoded('ü')}`)).text).toBe('{"path":"s3://bucket/ü"}');
  expect(pipelineService.calls[0]).toMatchObject({ name: 'GetAbsolutePath', about: ID });
  expect(pipelineService.calls[0]?.in).toEqual({ connection: ID, path: 'ü' });
});

it.each([
  ['FormatNotExist', 422],
  ['SheetNotExist', 422],
  ['NoColumnsFound', 422],
  ['InvalidSettings', 422],
  ['InvalidPath', 422],
  ['InvalidPlaceholder', 422],
  ['InvalidFile', 422],
  ['ServiceUnavailable', 503],
] as const)('a refusal %s is answered %i', async (code, status) => {
  pipelineService.answer('ReadFile', new Refusal(code));
  const answered = await ask('?path=a&format=csv');
  expect(answered.status).toBe(status);
  expect(jsonOf(answered)).toMatchObject({ error: { code } });
});

const BOTH = ['', '/sheets'];

it.each<[readonly string[], string, ...string[]]>([
  [BOTH, '', '/path'],
  [BOTH, 'path=a', '/format'],
  [BOTH, 'format=csv', '/path'],
  [BOTH, 'path=&format=csv', '/path'],
  [BOTH, `path=${'a'.repeat(4_097)}&format=csv`, '/path'],
  [BOTH, 'path=a&path=b&format=csv', '/path'],
  [BOTH, 'path=a&format=', '/format'],
  [BOTH, `path=a&format=${'a'.repeat(101)}`, '/format'],
  [BOTH, `path=a&format=csv&compression=${'a'.repeat(101)}`, '/compression'],
  [BOTH, 'path=a&format=csv&formatSettings=x', '/formatSettings'],
  [BOTH, 'path=a&format=csv&formatSettings=[]', '/formatSettings'],
  [BOTH, 'path=a&format=csv&formatSettings=null', '/formatSettings'],
  [BOTH, `path=a&format=csv&formatSettings=${encoded('{"a":1,"a":2}')}`, '/formatSettings/a'],
  [BOTH, 'path=a&format=csv&cursor=b', '/cursor'],
  [[''], 'path=a&format=csv&limit=101', '/limit'],
  [[''], 'path=a&format=csv&limit=-1', '/limit'],
  [[''], 'path=a&format=csv&limit=1.0', '/limit'],
  [[''], 'path=a&format=csv&limit=', '/limit'],
  [[''], 'path=a&format=csv&sheet=', '/sheet'],
  [[''], `path=a&format=csv&sheet=${'s'.repeat(32)}`, '/sheet'],
  [[''], `path=a&format=csv&sheet=${encoded("'a")}`, '/sheet'],
  [[''], `path=a&format=csv&sheet=${encoded('a/b')}`, '/sheet'],
  [['/sheets'], 'path=a&format=csv&limit=1', '/limit'],
  [['/sheets'], 'path=a&format=csv&sheet=a', '/sheet'],
  [['/absolute'], '', '/path'],
  [['/absolute'], 'path=', '/path'],
  [['/absolute'], 'path=a&format=csv', '/format'],
])('a malformed request is answered 400: %j %s', async (routes, query, ...paths) => {
  for (const route of routes) {
    const answered = await ask(`${route}?${query}`);
    expect(answered.status).toBe(400);
    const { error } = jsonOf(answered) as { error: { details: { path: string }[] } };
    expect(error.details.map(({ path }) => path)).toEqual(paths);
  }
  expect(pipelineService.calls).toEqual([]);
});

it.each(['?path=a&format=csv', '/sheets?path=a&format=csv', '/absolute?path=a'])(
  'an id of the wrong form is answered 404 at %s',
  async (path) => {
    const answered = await ask(path, reader, 'x');
    expect([answered.status, jsonOf(answered)]).toMatchObject([
      404,
      { error: { code: 'ConnectionNotExist' } },
    ]);
    expect(pipelineService.calls).toEqual([]);
  },
);

it.each(['limit=0', 'limit=100', 'limit=007'])('%s is taken', async (limit) => {
  pipelineService.answer('ReadFile', NONE);
  expect((await ask(`?path=a&format=csv&${limit}`)).status).toBe(200);
});
