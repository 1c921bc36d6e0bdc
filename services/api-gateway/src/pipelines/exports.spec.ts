import type { ExportSettings } from '@penstock/contracts';
import { GatewayStand } from '../testing/gateway.fixture';
import { jsonOf, send } from '../testing/http.fixture';
import {
  apiKey,
  destination,
  exportTo,
  organization,
  workspace,
} from '../testing/installation.fixture';

const admin = apiKey('admin');
const SCHEMA = '{"kind":"object","properties":[{"name":"email","type":{"kind":"string"}}]}';

const DESTINATIONS: readonly ExportSettings['destination'][] = [
  { kind: 'database', table: 'people "ü"', key: 'mail' },
  {
    kind: 'application',
    mode: 'UpdateOnly',
    matching: { in: 'email', out: 'ids.mail' },
    updateOnDuplicates: true,
  },
  {
    kind: 'file',
    format: 'csv',
    path: 'out/${today}.csv',
    sheet: null,
    compression: 'Zip',
    formatSettings: '{"separator":";","n":1.50}',
    orderBy: 'email',
  },
];

const exports = DESTINATIONS.map((to, index) => {
  const connection = destination(`object00000000${String(index)}`);
  const isFile = to.kind === 'file';
  const pipeline = {
    ...exportTo(connection, { destination: to, inSchema: SCHEMA }),
    transformation: isFile ? null : { mapping: { mail: 'email' }, function: null },
    outSchema: isFile ? null : SCHEMA,
  };
  return { connection, pipeline };
});

const stand = new GatewayStand();
const { pipelineService } = stand;

beforeAll(async () => {
  const states = exports.flatMap(({ connection, pipeline }) => [connection, pipeline]);
  await stand.configure(organization({ apiKeys: [admin.record] }), workspace(), ...states);
  await stand.start();
  pipelineService.answer('UpdatePipeline', {});
});
afterAll(() => stand.stop());
beforeEach(() => {
  pipelineService.calls.length = 0;
});

const ask = (method: string, path: string, body?: string) =>
  send(stand.url(path), {
    method,
    headers: { Authorization: `Bearer ${admin.key}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body }),
  });

describe.each(exports)('an export ($pipeline.exports.destination.kind)', ({ pipeline }) => {
  const path = `/v1/pipelines/${pipeline.id}`;
  const to = pipeline.exports.destination;

  const membersOf = () => {
    switch (to.kind) {
      case 'application':
        return {
          ...{ exportMode: to.mode, matching: to.matching },
          updateOnDuplicates: to.updateOnDuplicates,
        };
      case 'database':
        return { tableName: to.table, tableKey: to.key };
      case 'file':
        return {
          format: to.format,
          path: to.path,
          compression: to.compression,
          orderBy: to.orderBy,
        };
    }
  };
  const members = membersOf();

  it('is answered with its members, with every digit', async () => {
    const answer = await ask('GET', path);
    expect(answer.status).toBe(200);
    const view = jsonOf(answer) as Record<string, unknown>;
    const inSchema = JSON.parse(SCHEMA) as object;
    expect(view).toMatchObject({ target: 'User', eventType: null, inSchema, ...members });
    expect(view).toMatchObject({ schedulePeriod: null, running: false });
    if (to.kind === 'file') expect(answer.text).toContain(`"formatSettings":${to.formatSettings}`);
    for (const name of ['incremental', 'query', 'userIDColumn'])
      expect(view).not.toHaveProperty(name);
    expect('path' in view).toBe(to.kind === 'file');
    expect('tableName' in view).toBe(to.kind === 'database');
    expect('matching' in view).toBe(to.kind === 'application');
  });

  it('takes its own answer, with another inSchema too', async () => {
    const { text: answered } = await ask('GET', path);
    const changed = answered.replace('"name":"email","type"', '"name":"phone","type"');
    for (const body of [answered, changed])
      expect(await ask('PUT', path, body)).toMatchObject({ status: 200, text: '' });
    expect(pipelineService.calls[0]?.in).toEqual({
      id: pipeline.id,
      name: pipeline.name,
      enabled: true,
      filter: null,
      transformation: pipeline.transformation && '{"mapping":{"mail":"email"},"function":null}',
      outSchema: pipeline.outSchema,
      inSchema: SCHEMA,
      ...members,
      ...(to.kind === 'file' && { formatSettings: to.formatSettings }),
    });
    expect(pipelineService.calls[1]?.in).toHaveProperty(
      'inSchema',
      SCHEMA.replace('email', 'phone'),
    );
  });
});

it.each([
  ['no object', '"email"'],
  ['an empty one', '{}'],
  ['with one member', '{"in":"email"}'],
  ['with another member', '{"in":"email","out":"mail","with":"x"}'],
  ['with an empty path', '{"in":"","out":"mail"}'],
  ['with a number', '{"in":"email","out":1}'],
  ['with a path that is too long', `{"in":"email","out":"${'a'.repeat(1_025)}"}`],
])('refuses a matching that is %s', async (_, matching) => {
  const body = `{"name":"P","matching":${matching}}`;
  const answer = await ask('PUT', `/v1/pipelines/${exports[1]?.pipeline.id ?? ''}`, body);
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('"/matching"');
});

it('refuses an export mode that there is not', async () => {
  const body = '{"name":"P","exportMode":"DeleteOnly"}';
  const answer = await ask('PUT', `/v1/pipelines/${exports[1]?.pipeline.id ?? ''}`, body);
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('must be CreateOnly or UpdateOnly or CreateOrUpdate');
});
