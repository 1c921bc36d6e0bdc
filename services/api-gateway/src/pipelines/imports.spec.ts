import type { ImportSettings, PipelineId } from '@penstock/contracts';
import { GatewayStand } from '../testing/gateway.fixture';
import { jsonOf, send } from '../testing/http.fixture';
import {
  apiKey,
  destination,
  importFrom,
  organization,
  pipelineOn,
  source,
  workspace,
} from '../testing/installation.fixture';

const admin = apiKey('admin');
const ID = 'pipeline00001' as PipelineId;
const SCHEMA = '{"kind":"object","properties":[{"name":"email","type":{"kind":"string"}}]}';
const columns = { userID: 'id', updatedAt: 'changed', updatedAtFormat: null };

const SOURCES: readonly ImportSettings['source'][] = [
  { kind: 'application' },
  { kind: 'database', query: 'SELECT "ü"', columns: { ...columns, missing: 'null' } },
  {
    kind: 'file',
    format: 'excel',
    path: 'in/u.xlsx',
    sheet: 'Sheet 1',
    compression: 'Zip',
    formatSettings: '{"hasColumnNames":true,"n":1.50}',
    columns: { ...columns, updatedAtFormat: 'Excel' },
  },
  {
    kind: 'file',
    format: 'csv',
    path: 'u',
    sheet: null,
    compression: '',
    formatSettings: '{}',
    columns: { userID: 'id', updatedAt: null, updatedAtFormat: null },
  },
];

const imports = SOURCES.map((from, index) => {
  const connection = source('dummy', '{}', { id: `source0000${String(index)}` as never }).state;
  const settings = { source: from, inSchema: SCHEMA, incremental: index === 1 };
  return { connection, pipeline: importFrom(connection, settings) };
});
const application = destination('object0000000001');
const onEvents = pipelineOn(application);

const stand = new GatewayStand();
const { pipelineService } = stand;

beforeAll(async () => {
  const states = imports.flatMap(({ connection, pipeline }) => [connection, pipeline]);
  const apiKeys = [admin.record];
  await stand.configure(organization({ apiKeys }), workspace(), application, onEvents, ...states);
  await stand.start();
  pipelineService.answer('CreatePipeline', { id: ID });
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

const NEW = '"name":"n","connection":"c","target":"User"';
const create = (members: string) => ask('POST', '/v1/pipelines', `{${NEW}${members}}`);
const paths = (answer: Awaited<ReturnType<typeof ask>>): string[] => {
  const { error } = jsonOf(answer) as { error: { details: { path: string }[] } };
  return error.details.map(({ path }) => path);
};

const text = (length: number, character = 'x'): string => JSON.stringify(character.repeat(length));

type Row = [member: string, value: string, accepted: boolean];

const bounded = (member: string, min: number, max: number): Row[] => [
  [member, text(min), true],
  [member, text(max), true],
  [member, text(max, '😀'), true],
  [member, text(min - 1), false],
  [member, text(max + 1), false],
  [member, '"a\\u0000"', false],
  [member, '5', false],
];

describe('members of imports and exports', () => {
  it.each<Row>([
    ...bounded('query', 1, 10_000),
    ...bounded('userIDColumn', 1, 1_024),
    ...bounded('updatedAtColumn', 1, 1_024),
    ...bounded('updatedAtFormat', 1, 64),
    ...bounded('path', 1, 1_024),
    ...bounded('orderBy', 1, 1_024),
    ...bounded('tableName', 1, 1_024),
    ...bounded('tableKey', 1, 1_024),
    ...bounded('sheet', 1, 31),
    ...['*', '/', ':', '?', '[', ']', '\\\\'].map((character): Row => [
      'sheet',
      `"a${character}b"`,
      false,
    ]),
    ['sheet', `"'a"`, false],
    ['sheet', `"a'"`, false],
    ['sheet', `"'"`, false],
    ['sheet', `"a'b"`, true],
    ['sheet', '"Sheet 1"', true],
    ['format', '"xml"', true],
    ['format', '""', false],
    ['format', '5', false],
    ...['', 'Zip', 'Gzip', 'Snappy'].map((each): Row => ['compression', `"${each}"`, true]),
    ['compression', '"zip"', false],
    ...['fail', 'null'].map((each): Row => ['missingColumns', `"${each}"`, true]),
    ['missingColumns', '"Null"', false],
    ['compression', 'false', false],
    ['incremental', 'true', true],
    ['incremental', '"true"', false],
    ['formatSettings', '{"a":1}', true],
    ['formatSettings', '[]', false],
    ['inSchema', SCHEMA, true],
    ['inSchema', '"x"', false],
    ['eventType', '""', false],
    ['eventType', text(101), false],
  ])('%s %.40s: accepted %s', async (member, value, accepted) => {
    const answer = await create(`,"${member}":${value}`);
    if (!accepted) {
      expect(answer.status).toBe(400);
      expect(paths(answer)).toEqual([`/${member}`]);
      return;
    }
    expect(answer.status).toBe(200);
    const command = pipelineService.calls[0]?.in as Record<string, unknown>;
    const isText = ['inSchema', 'formatSettings'].includes(member);
    expect(command[member]).toEqual(isText ? value : JSON.parse(value));
  });

  it('name every bad one at once', async () => {
    const answer = await create(
      ',"query":"","sheet":"*","incremental":1,"compression":"x","path":"","format":"","tableName":1',
    );
    expect(answer.status).toBe(400);
    expect(paths(answer).sort()).toEqual(
      ['compression', 'format', 'incremental', 'path', 'query', 'sheet', 'tableName'].map(
        (name) => `/${name}`,
      ),
    );
  });

  it('are not given where they are null', async () => {
    const names = [
      ...['eventType', 'query', 'userIDColumn', 'updatedAtColumn', 'updatedAtFormat', 'format'],
      'missingColumns',
      ...['path', 'sheet', 'compression', 'formatSettings', 'incremental', 'inSchema'],
      ...['orderBy', 'tableName', 'tableKey'],
    ];
    const answer = await create(names.map((name) => `,"${name}":null`).join(''));
    expect(answer.status).toBe(200);
    expect(pipelineService.calls[0]?.in).toEqual({
      id: pipelineService.calls[0]?.about,
      name: 'n',
      connection: 'c',
      target: 'User',
      eventType: null,
      filter: null,
      transformation: null,
      outSchema: null,
    });
  });
});

describe.each(imports)('an import ($pipeline.imports.source.kind)', ({ pipeline }) => {
  const path = `/v1/pipelines/${pipeline.id}`;

  it('is answered with its members, with every digit', async () => {
    const answer = await ask('GET', path);
    expect(answer.status).toBe(200);
    const { source: from, incremental } = pipeline.imports;
    const view = jsonOf(answer) as Record<string, unknown>;
    expect(view).toMatchObject({
      target: 'User',
      eventType: null,
      incremental,
      inSchema: JSON.parse(SCHEMA) as object,
    });
    if (from.kind === 'file')
      expect(answer.text).toContain(`"formatSettings":${from.formatSettings}`);
    expect('query' in view).toBe(from.kind === 'database');
    expect('format' in view).toBe(from.kind === 'file');
    expect('userIDColumn' in view).toBe(from.kind !== 'application');
  });

  it('takes its own answer, and what can be changed of it', async () => {
    const { text: answered } = await ask('GET', path);
    const changed = answered.replace('"name":"email","type"', '"name":"mail","type"');
    for (const body of [answered, changed])
      expect(await ask('PUT', path, body)).toMatchObject({ status: 200, text: '' });
    const { source: from, inSchema, incremental } = pipeline.imports;
    const members =
      from.kind === 'application'
        ? {}
        : {
            userIDColumn: from.columns.userID,
            missingColumns: from.columns.missing ?? 'fail',
            ...(from.columns.updatedAt !== null && { updatedAtColumn: from.columns.updatedAt }),
            ...(from.columns.updatedAtFormat !== null && {
              updatedAtFormat: from.columns.updatedAtFormat,
            }),
          };
    const ofSource =
      from.kind === 'file'
        ? {
            format: from.format,
            path: from.path,
            ...(from.sheet !== null && { sheet: from.sheet }),
            compression: from.compression,
            formatSettings: from.formatSettings,
          }
        : from.kind === 'database' && { query: from.query };
    expect(pipelineService.calls[0]?.in).toEqual({
      id: pipeline.id,
      name: pipeline.name,
      enabled: true,
      filter: null,
      transformation: '{"mapping":{"email":"email"},"function":null}',
      outSchema: pipeline.outSchema,
      inSchema,
      incremental,
      ...members,
      ...ofSource,
    });
    expect(pipelineService.calls[1]?.in).toHaveProperty(
      'inSchema',
      SCHEMA.replace('email', 'mail'),
    );
  });

  it('does not exist for what only events have', async () => {
    for (const what of ['conservation', 'replays', 'redrives'])
      expect(await ask('GET', `${path}/${what}`)).toMatchObject({ status: 404 });
  });
});

it('all are listed', async () => {
  const { pipelines } = jsonOf(await ask('GET', '/v1/pipelines')) as { pipelines: object[] };
  expect(pipelines).toHaveLength(imports.length + 1);
});

it('the inSchema of a pipeline on events cannot be changed', async () => {
  const path = `/v1/pipelines/${onEvents.id}`;
  const view = jsonOf(await ask('GET', path)) as object;
  const changed = { ...view, inSchema: JSON.parse(SCHEMA) as object };
  const refused = await ask('PUT', path, JSON.stringify(changed));
  expect(refused.status).toBe(400);
  expect(paths(refused)).toEqual(['/inSchema']);
  expect(pipelineService.calls).toEqual([]);
  expect(await ask('PUT', path, JSON.stringify(view))).toMatchObject({ status: 200 });
  expect(pipelineService.calls[0]?.in).not.toHaveProperty('inSchema');
});
