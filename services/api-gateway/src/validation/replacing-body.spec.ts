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

const admin = apiKey('admin');
const connection = destination('object0000000001', {
  version: 4,
  settings: seals.seal(
    '{"url":"https://example.com","auth":{"type":"bearer","token":"secret-token-1234"}}',
    WORKSPACE,
  ),
});
const sender = source('nodejs', '{}', { links: [connection.id] }).state;
const pipeline = pipelineOn(connection, {
  version: 3,
  filter:
    '{"logical":"and","conditions":[{"property":"event","operator":"is","values":["9007199254740993"]}]}',
  transformation: { mapping: { properties: 'traits' }, function: null },
  outSchema: '{"kind":"object","properties":[{"name":"properties","type":{"kind":"json"}}]}',
});

const stand = new GatewayStand();
const { pipelineService } = stand;

beforeAll(async () => {
  const apiKeys = [admin.record];
  await stand.configure(organization({ apiKeys }), workspace(), sender, connection, pipeline);
  await stand.start();
  for (const name of ['UpdatePipeline', 'UpdateConnection', 'RenameWorkspace'] as const)
    pipelineService.answer(name, {});
});
afterAll(() => stand.stop());
beforeEach(() => {
  pipelineService.calls.length = 0;
});

const ask = (method: string, path: string, body?: object, more: Record<string, string> = {}) =>
  send(stand.url(path), {
    method,
    headers: { Authorization: `Bearer ${admin.key}`, 'Content-Type': 'application/json', ...more },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

const get = async (path: string): Promise<Record<string, unknown>> =>
  jsonOf(await ask('GET', path)) as Record<string, unknown>;

const PATHS = [
  [`/v1/pipelines/${pipeline.id}`, 'UpdatePipeline'],
  [`/v1/connections/${connection.id}`, 'UpdateConnection'],
  [`/v1/connections/${sender.id}`, 'UpdateConnection'],
  ['/v1/workspaces/current', 'RenameWorkspace'],
] as const;

const reversed = (object: Record<string, unknown>): object =>
  Object.fromEntries(Object.entries(object).reverse());

describe.each(PATHS)('%s', (path, command) => {
  it('accepts its own answer with another name, in any order of members', async () => {
    const answered = { ...(await get(path)), name: 'Renamed' };
    for (const body of [answered, reversed(answered)])
      expect(await ask('PUT', path, body)).toMatchObject({ status: 200, text: '' });
    expect(pipelineService.calls).toMatchObject([
      { name: command, in: { name: 'Renamed' } },
      { name: command, in: { name: 'Renamed' } },
    ]);
  });

  it('refuses changes of fixed members, naming all of them', async () => {
    const answered = await get(path);
    const taken = ['name', 'enabled', 'filter', 'transformation', 'outSchema', 'settings'];
    const free = [...taken, 'delivery', 'health', 'pipelines', 'version', 'inSchema'];
    const fixed = Object.keys(answered).filter((name) => !free.includes(name));
    expect(fixed).toContain('id');
    const other = Object.fromEntries(fixed.map((name) => [name, 'another']));
    const refused = await ask('PUT', path, { ...answered, ...other });
    expect(refused.status).toBe(400);
    const { error } = jsonOf(refused) as { error: { code: string; details: { path: string }[] } };
    expect(error.code).toBe('BadRequest');
    expect(error.details.map((each) => each.path)).toEqual(fixed.map((name) => `/${name}`));
    expect(pipelineService.calls).toEqual([]);
  });

  it('ignores a version, and refuses members that no answer has', async () => {
    expect(await ask('PUT', path, { name: 'n', version: 99 })).toMatchObject({ status: 200 });
    const refused = await ask('PUT', path, { name: 'n', version: 99, other: 1 });
    expect(jsonOf(refused)).toMatchObject({
      error: { details: [{ path: '/other', message: 'unknown property' }] },
    });
  });
});

it('names every bad member of the body before it compares', async () => {
  const [[path]] = PATHS;
  const refused = await ask('PUT', path, { id: 'another', name: 5, other: 1 });
  expect(refused.status).toBe(400);
  expect(jsonOf(refused)).toMatchObject({
    error: { details: [{ path: '/other' }, { path: '/name' }] },
  });
});

it('answers 409 when the object has changed since the expected version', async () => {
  const [[path]] = PATHS;
  const body = { ...(await get(path)), eventType: 'another' };
  expect(await ask('PUT', path, body, { 'If-Match': '"2"' })).toMatchObject({ status: 409 });
  expect(await ask('PUT', path, body, { 'If-Match': '"3"' })).toMatchObject({ status: 400 });
  expect(pipelineService.calls).toEqual([]);
});

it('answers 404 when the object does not exist', async () => {
  const gone = await ask('PUT', '/v1/pipelines/none00000000', { id: 'none00000000', name: 'n' });
  expect(gone.status).toBe(404);
  expect(pipelineService.calls).toEqual([]);
});
