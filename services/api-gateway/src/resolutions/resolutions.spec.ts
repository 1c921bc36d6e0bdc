import {
  type LatestResolution,
  Refusal,
  type ResolutionSettings,
  type WarehouseState,
} from '@penstock/contracts';
import { GatewayStand } from '../testing/gateway.fixture';
import { jsonOf, send } from '../testing/http.fixture';
import { apiKey, organization, seals, workspace, WORKSPACE } from '../testing/installation.fixture';

const [reader, writer] = [apiKey('read'), apiKey('write')];
const stand = new GatewayStand();
const { pipelineService } = stand;

beforeAll(async () => {
  const apiKeys = [reader, writer].map(({ record }) => record);
  await stand.configure(organization({ apiKeys }), workspace());
  await stand.start();
  for (const name of ['StartResolution', 'CancelResolution', 'SetResolutionSettings'] as const)
    pipelineService.script(name, () => ({}));
});
afterAll(() => stand.stop());
beforeEach(() => {
  pipelineService.calls.length = 0;
});

const ask = (call: string, body?: string, { key } = writer) => {
  const [method = '', path = ''] = call.split(' ');
  return send(stand.url(`/v1/identity-resolution/${path}`), {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  });
};

const warehouse = (resolution?: ResolutionSettings): WarehouseState => ({
  kind: 'warehouse',
  id: WORKSPACE,
  version: 4,
  platform: 'PostgreSQL',
  settings: seals.seal('{}', WORKSPACE),
  mcpSettings: null,
  mode: 'Normal',
  ...(resolution && { resolution }),
});

it.each([
  ['POST start', undefined, 'StartResolution', { full: false }],
  ['POST start', '{}', 'StartResolution', { full: false }],
  ['POST start', '{"full":true}', 'StartResolution', { full: true }],
  ['POST cancel', undefined, 'CancelResolution', {}],
])('%s with %s is passed on, and needs scope write', async (call, body, name, input) => {
  expect(await ask(call, body)).toMatchObject({ status: 200, text: '' });
  expect(pipelineService.calls).toMatchObject([{ name, about: WORKSPACE, in: input }]);
  expect(await ask(call, body, reader)).toMatchObject({ status: 403 });
});

it('is refused as the pipeline service says', async () => {
  pipelineService.answer('StartResolution', new Refusal('OperationAlreadyExecuting'));
  const answered = await ask('POST start');
  expect(answered.status).toBe(422);
  expect(jsonOf(answered)).toMatchObject({ error: { code: 'OperationAlreadyExecuting' } });
});

const LATEST: LatestResolution = {
  startTime: '2026-03-01T09:30:00.000Z' as never,
  endTime: null,
  trigger: 'Settings',
  full: true,
  error: '',
  progress: { done: 1, total: 2 },
  ...{ identities: 1, created: 2, merged: 3, split: 4, deleted: 5, pending: 6 },
  warnings: [{ identifier: 'email', value: 'a@example.com', identities: 1_001 }],
};

it('answers the latest one as an executor does, which knows what the gateway knows', async () => {
  pipelineService.answer('GetLatestResolution', LATEST);
  const answered = await ask('GET latest', undefined, reader);
  expect(jsonOf(answered)).toEqual(LATEST);
  expect(pipelineService.calls).toMatchObject([{ in: { seen: expect.any(Number) as number } }]);
});

it('shows the settings with the version of the warehouse, and blocked values in clear', async () => {
  await stand.configure(warehouse());
  const first = await ask('GET settings', undefined, reader);
  expect(first).toMatchObject({ status: 200, headers: { etag: '"4"' } });
  expect(jsonOf(first)).toEqual({
    ...{ runOnBatchImport: true, eventDelay: 60, identifiers: [], blockedValues: {} },
  });
  const blockedValues = { email: seals.seal('["a","é"]', WORKSPACE) };
  const settings = { runOnBatchImport: false, eventDelay: null, identifiers: ['email'] };
  await stand.configure(warehouse({ ...settings, blockedValues }));
  expect(jsonOf(await ask('GET settings', undefined, reader))).toEqual({
    ...settings,
    blockedValues: { email: ['a', 'é'] },
  });
});

it('passes settings on with blocked values sealed, and leaves out what is omitted', async () => {
  const body = '{"runOnBatchImport":true,"identifiers":["email","a.b"]';
  expect(await ask('PUT settings', `${body}}`)).toMatchObject({ status: 200, text: '' });
  await ask('PUT settings', `${body},"eventDelay":null,"blockedValues":{}}`);
  await ask('PUT settings', `${body},"eventDelay":86400,"blockedValues":{"email":["secret"]}}`);
  const [omitted, empty, given] = pipelineService.calls.map((call) => call.in);
  const kept = { runOnBatchImport: true, identifiers: ['email', 'a.b'] };
  expect(omitted).toEqual(kept);
  expect(empty).toEqual({ ...kept, eventDelay: null, blockedValues: {} });
  const { blockedValues } = given as { blockedValues: Record<string, string> };
  expect(given).toEqual({ ...kept, eventDelay: 86_400, blockedValues });
  expect(JSON.stringify(given)).not.toContain('secret');
  expect(seals.open(blockedValues['email'] ?? '', WORKSPACE)).toBe('["secret"]');
  expect(await ask('PUT settings', `${body}}`, reader)).toMatchObject({ status: 403 });
});

const VALID = '"runOnBatchImport":true,"identifiers":[]';

it.each<[call: string, body: string | undefined, ...paths: string[]]>([
  ['POST start', '{"full":null}', '/full'],
  ['POST start', '{"full":"yes"}', '/full'],
  ['POST start', '{"all":true}', '/all'],
  ['POST start', '[]', ''],
  ['POST cancel', '{"full":true}', '/full'],
  ['PUT settings', undefined, ''],
  ['PUT settings', '{"identifiers":[]}', '/runOnBatchImport'],
  ['PUT settings', '{"runOnBatchImport":true}', '/identifiers'],
  ['PUT settings', '{"runOnBatchImport":true,"identifiers":null}', '/identifiers'],
  ['PUT settings', '{"runOnBatchImport":true,"identifiers":[1]}', '/identifiers'],
  ['PUT settings', `{${VALID},"eventDelay":-1}`, '/eventDelay'],
  ['PUT settings', `{${VALID},"eventDelay":86401}`, '/eventDelay'],
  ['PUT settings', `{${VALID},"eventDelay":"60"}`, '/eventDelay'],
  ['PUT settings', `{${VALID},"eventDelay":0.5}`, '/eventDelay'],
  ['PUT settings', `{${VALID},"blockedValues":null}`, '/blockedValues'],
  ['PUT settings', `{${VALID},"blockedValues":[]}`, '/blockedValues'],
  ['PUT settings', `{${VALID},"blockedValues":{"email":["a","\\u0000"]}}`, '/blockedValues/email'],
  ['PUT settings', `{${VALID},"blockedValues":{"email":["\\ud800"]}}`, '/blockedValues/email'],
  [
    'PUT settings',
    `{${VALID},"blockedValues":{"a":"b","c":[1],"d":["e"]}}`,
    ...['/blockedValues/a', '/blockedValues/c'],
  ],
  ['PUT settings', `{${VALID},"more":1}`, '/more'],
])('%s with %s is 400', async (call, body, ...paths) => {
  const answered = await ask(call, body);
  expect(answered.status).toBe(400);
  const { error } = jsonOf(answered) as { error: { details: { path: string }[] } };
  expect(error.details.map((detail) => detail.path)).toEqual(paths);
  expect(pipelineService.calls).toEqual([]);
});
