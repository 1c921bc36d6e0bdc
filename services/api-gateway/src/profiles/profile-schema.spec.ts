import { FIRST_PROFILE_SCHEMA, type PipelineId, type WarehouseState } from '@penstock/contracts';
import { printType } from '@penstock/schema';
import { GatewayStand } from '../testing/gateway.fixture';
import { type Answered, jsonOf, send, type Sent } from '../testing/http.fixture';
import { apiKey, organization, seals, workspace, WORKSPACE } from '../testing/installation.fixture';

const [reader, writer] = [apiKey('read'), apiKey('write')];
const stand = new GatewayStand();
const { pipelineService } = stand;

beforeAll(async () => {
  const apiKeys = [reader, writer].map(({ record }) => record);
  await stand.configure(organization({ apiKeys }), workspace());
  await stand.start();
});
afterAll(() => stand.stop());
beforeEach(() => {
  pipelineService.calls.length = 0;
});

const ask = (
  method: string,
  path: string,
  { headers, ...sent }: Sent = {},
  { key } = writer,
): Promise<Answered> =>
  send(stand.url(`/v1/profiles/schema${path}`), {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      ...(sent.body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...sent,
  });

const warehouse = (members: Partial<WarehouseState> = {}): WarehouseState => ({
  kind: 'warehouse',
  id: WORKSPACE,
  version: 4,
  platform: 'PostgreSQL',
  settings: seals.seal('{}', WORKSPACE),
  mcpSettings: null,
  mode: 'Normal',
  ...members,
});

const NONE = '{"startTime":null,"endTime":null,"error":null}';
const at = '2026-03-01T09:30:00.000Z' as never;

it('is answered with the version of the warehouse as a tag, and so is the latest change', async () => {
  await stand.configure(warehouse());
  expect(await ask('GET', '', {}, reader)).toMatchObject({
    status: 200,
    headers: { etag: '"4"' },
    text: printType(FIRST_PROFILE_SCHEMA.schema),
  });
  expect(await ask('GET', '/latest-change', {}, reader)).toMatchObject({ text: NONE });
  const schema =
    '{"kind":"object","properties":[{"name":"a","type":{"kind":"ip"},"readOptional":true,"description":""}]}';
  const profiles = { version: 2, schema, primarySources: {} };
  const ended = { version: 3, startedAt: at, endedAt: at, error: 'why' };
  await stand.configure(warehouse({ version: 5, profiles, profileChange: ended }));
  expect(await ask('GET', '', {}, reader)).toMatchObject({ text: schema });
  expect(jsonOf(await ask('GET', '/latest-change', {}, reader))).toEqual({
    ...{ startTime: at, endTime: at, error: 'why' },
  });
  const open = { ...profiles, version: 4, rePaths: {}, startedAt: at, endedAt: null };
  await stand.configure(warehouse({ version: 6, profiles, profileChange: open }));
  expect(jsonOf(await ask('GET', '/latest-change', {}, reader))).toEqual({
    ...{ startTime: at, endTime: null, error: null },
  });
});

it('is changed and previewed with every digit, by keys of their scopes', async () => {
  const schema =
    '{"kind":"object","properties":[{"name":"a","type":{"kind":"int","bitSize":64,"maximum":9007199254740993}}]}';
  pipelineService.script('ChangeProfileSchema', () => ({
    affectedPipelines: ['pipeline00000001' as PipelineId],
  }));
  const more = '"rePaths":{"a":"b","c":null},"primarySources":{"a":"source0000000001"}';
  expect(await ask('PUT', '', { body: `{"schema":${schema},${more}}` })).toMatchObject({
    status: 200,
    text: '{"affectedPipelines":["pipeline00000001"]}',
  });
  const rePaths = { a: 'b', c: null };
  expect(pipelineService.calls[0]).toMatchObject({
    name: 'ChangeProfileSchema',
    about: WORKSPACE,
    in: { schema, rePaths, primarySources: { a: 'source0000000001' } },
  });
  await ask('PUT', '', { body: `{"schema":${schema},"rePaths":null,"primarySources":null}` });
  expect(pipelineService.calls[1]).toMatchObject({ in: { rePaths: {}, primarySources: {} } });
  pipelineService.answer('PreviewProfileSchemaChange', {
    queries: ['SELECT 1'],
    affectedPipelines: [],
  });
  const body = `{"schema":${schema}}`;
  expect(await ask('PUT', '/preview', { body }, reader)).toMatchObject({
    text: '{"queries":["SELECT 1"],"affectedPipelines":[]}',
  });
  expect(await ask('PUT', '', { body }, reader)).toMatchObject({ status: 403 });
});

it.each<[path: string, body: string, ...paths: string[]]>([
  ['', '{}', '/schema'],
  ['', '{"schema":[]}', '/schema'],
  ['', '{"schema":{},"rePaths":[]}', '/rePaths'],
  ['', '{"schema":{},"rePaths":{"a":1,"b":"c","d":{}}}', '/rePaths/a', '/rePaths/d'],
  ['', '{"schema":{},"primarySources":{"a":null}}', '/primarySources/a'],
  ['/preview', '{"schema":{},"primarySources":{}}', '/primarySources'],
])('PUT %s with %s is 400', async (path, body, ...paths) => {
  const answered = await ask('PUT', path, { body });
  expect(answered.status).toBe(400);
  const { error } = jsonOf(answered) as { error: { details: { path: string }[] } };
  expect(error.details.map((detail) => detail.path)).toEqual(paths);
  expect(pipelineService.calls).toEqual([]);
});
