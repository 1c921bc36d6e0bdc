import {
  type Connector,
  type Connectors,
  createConnectors,
  DummyStore,
} from '@penstock/connectors';
import type {
  ConnectionId,
  CreatePipeline,
  PipelineId,
  PipelineView,
  RunId,
} from '@penstock/contracts';
import { postgresqlDatabase } from '@penstock/databases';
import { newId } from '@penstock/runtime';
import { tmpdir } from 'node:os';
import { tableSchema, TO_APPLICATION, TO_DATABASE, TO_FILE } from '../testing/export.fixture';
import { mapping, profiles } from '../testing/import.fixture';
import { Installation } from '../testing/installation.fixture';
import { aPipeline } from '../testing/pipeline.fixture';

jest.setTimeout(90_000);

const MEMBERS = { application: TO_APPLICATION, database: TO_DATABASE, file: TO_FILE } as const;
type Kind = keyof typeof MEMBERS;
const KINDS = Object.keys(MEMBERS) as Kind[];

let installation: Installation;
let destinations: Readonly<Record<Kind, ConnectionId>>;

/** The connectors of the installation, and a database that is not connected to when a connection is made. */
const withDatabase = ({ list }: Connectors): Connectors => {
  const like = list.find(({ code }) => code === 'filesystem');
  if (like === undefined) throw new Error('there is no connector filesystem');
  const { fileStorage: _, fileDestination: _destination, ...rest } = like;
  const database = { ...postgresqlDatabase, check: () => Promise.resolve() };
  const added: Connector = { ...rest, code: 'base', type: 'Database', database };
  const all = [...list, added];
  return { list: all, get: (code) => all.find((each) => each.code === code) };
};

beforeAll(async () => {
  installation = await Installation.open();
  const url = new URL(installation.databaseUrl);
  url.search = '?schema=warehouse';
  const dummyStore = new DummyStore(installation.pool);
  const connectors = withDatabase(createConnectors({ dummyStore, filesRoot: tmpdir() }));
  await installation.start({ connectors, firstWarehouse: { url: url.href } });
  const { workspace } = await installation.founded();
  Object.assign(installation, { workspace });
  destinations = {
    application: await installation.destination({ connector: 'dummy' }),
    database: await installation.destination({ connector: 'base' }),
    file: await installation.destination({ connector: 'filesystem' }),
  };
});
afterAll(() => installation.close());

const anExport = (kind: Kind, changes: Partial<CreatePipeline> = {}): CreatePipeline => ({
  ...aPipeline(destinations[kind], { target: 'User', eventType: null }),
  ...MEMBERS[kind],
  ...changes,
});

const create = async (kind: Kind, changes: Partial<CreatePipeline> = {}): Promise<PipelineId> =>
  (await installation.command('CreatePipeline', anExport(kind, changes))).id;

const get = (id: string) => installation.read('GetPipeline', { id });

/** What a client sends that sends back what it has got. */
const sentBack = ({ id, name, enabled, filter, transformation, ...view }: PipelineView) => {
  if (view.exports === undefined) throw new Error('is no export');
  const { destination, inSchema } = view.exports;
  const common = {
    ...{ id, name, enabled, filter, inSchema, outSchema: view.outSchema },
    transformation: transformation && JSON.stringify(transformation),
  };
  if (destination.kind === 'database')
    return { ...common, tableName: destination.table, tableKey: destination.key };
  if (destination.kind === 'application') {
    const { kind: _, mode: exportMode, ...rest } = destination;
    return { ...common, exportMode, ...rest };
  }
  const { kind: _, sheet, ...file } = destination;
  return { ...common, ...file, ...(sheet !== null && { sheet }) };
};

describe.each(KINDS)('an export of the kind %s', (kind) => {
  it('is read back with all that was given', async () => {
    const id = await create(kind);
    const view = await get(id);
    expect(view).toMatchObject({
      ...{ id, version: 1, connection: destinations[kind], connectionRole: 'Destination' },
      ...{ target: 'User', eventType: null, filter: null },
      exports: { destination: { kind } },
      runs: { schedulePeriod: null, running: false },
      health: { status: 'Unknown', code: 'NeverRun' },
    });
    expect(view.imports).toBeUndefined();
    expect(JSON.parse(view.inSchema)).toMatchObject(
      JSON.parse(MEMBERS[kind].inSchema ?? '') as object,
    );
    const { pipelines } = await installation.read('GetConnection', { id: destinations[kind] });
    expect(pipelines).toContain(id);
  });

  it('is not changed when what was read is sent back', async () => {
    const id = await create(kind);
    await installation.command('UpdatePipeline', sentBack(await get(id)));
    expect(await get(id)).toMatchObject({ version: 1 });
  });

  it('is updated, enabled, disabled and deleted', async () => {
    const id = await create(kind);
    const given = sentBack(await get(id));
    const inSchema = kind === 'file' ? profiles('email', 'last_name') : given.inSchema;
    await installation.command('UpdatePipeline', { ...given, inSchema, name: 'Other' });
    expect(await get(id)).toMatchObject({ version: 2, name: 'Other' });
    await installation.command('SetPipelineStatus', { id, enabled: false });
    await installation.command('DeletePipeline', { id });
    await expect(get(id)).rejects.toMatchObject({ code: 'PipelineNotExist' });
  });

  it('has no member of an import', async () => {
    const given = anExport(kind, { incremental: false, userIDColumn: 'email' });
    await expect(installation.command('CreatePipeline', given)).rejects.toMatchObject({
      code: 'BadRequest',
      details: [{ path: '/userIDColumn' }, { path: '/incremental' }],
    });
  });

  it('is scheduled, and run, and is then running', async () => {
    const id = await create(kind);
    await installation.command('SetSchedulePeriod', { id, period: '24h' });
    await expect(
      installation.command('RunPipeline', { id, incremental: false }),
    ).rejects.toMatchObject({ code: 'BadRequest', details: [{ path: '/incremental' }] });
    const { id: run } = await installation.command('RunPipeline', { id, incremental: null });
    const { rows } = await installation.pool.query<{ data: object }>(
      "SELECT data FROM penstock.facts WHERE type = 'RunRequested' AND data->>'id' = $1",
      [id],
    );
    expect(rows).toMatchObject([{ data: { run, incremental: null, cursor: null } }]);
    expect((await get(id)).runs).toMatchObject({ schedulePeriod: '24h', running: true });
    await expect(
      installation.command('RunPipeline', { id, incremental: null }),
    ).rejects.toMatchObject({ code: 'PipelineAlreadyRunning' });
  });

  it('is not run while it is disabled, and not replayed at all', async () => {
    const id = await create(kind, { enabled: false });
    const run = newId() as RunId;
    await expect(
      installation.command('RunPipeline', { id, incremental: null }),
    ).rejects.toMatchObject({ code: 'PipelineDisabled' });
    await expect(
      installation.command('ReplayRun', { id, run, cursor: null }),
    ).rejects.toMatchObject({
      code: 'PipelineNotRunnable',
    });
  });
});

it('events are still sent to an application whose users are written', async () => {
  const given = aPipeline(destinations.application, {
    ...{ eventType: 'send_event_with_no_schema', transformation: null, outSchema: null },
  });
  const { id } = await installation.command('CreatePipeline', given);
  expect(await get(id)).toMatchObject({ target: 'Event' });
  expect((await get(id)).exports).toBeUndefined();
});

describe('the order of checks', () => {
  const gone = newId() as ConnectionId;
  const all = { format: 'xml', path: '../x', orderBy: 'shoe', inSchema: profiles('shoe') };
  type Row = [string, Kind, Partial<CreatePipeline>, string, readonly string[]];
  it.each<Row>([
    ['the connection', 'file', { ...all, connection: gone }, 'ConnectionNotExist', []],
    ['the members', 'file', { ...all, query: 'x' }, 'BadRequest', ['/query']],
    ['the format', 'file', all, 'FormatNotExist', []],
    ['all that is wrong', 'file', { ...all, format: 'csv' }, 'BadRequest', ['/path']],
    [
      'the schema of profiles',
      'file',
      { ...all, format: 'csv', path: 'x' },
      'SchemaNotAligned',
      ['/inSchema/properties/0'],
    ],
    [
      'the schema of profiles, before the function',
      'database',
      {
        inSchema: profiles('shoe'),
        outSchema: tableSchema({ mail: { kind: 'string' } }, { name: { kind: 'string' } }),
        transformation: JSON.stringify({
          function: {
            ...{ source: '(', language: 'JavaScript', preserveJSON: false },
            ...{ inPaths: ['shoe'], outPaths: ['mail', 'name'] },
          },
        }),
      },
      'SchemaNotAligned',
      ['/inSchema/properties/0'],
    ],
    [
      'the function',
      'database',
      {
        transformation: JSON.stringify({
          function: {
            ...{ source: '(', language: 'JavaScript', preserveJSON: false },
            ...{ inPaths: ['email', 'first_name'], outPaths: ['mail', 'name'] },
          },
        }),
      },
      'TransformationFailed',
      ['/transformation/function/source'],
    ],
  ])('%s', async (_, kind, changes, code, paths) => {
    const refused = await installation
      .command('CreatePipeline', anExport(kind, changes))
      .catch((error: unknown) => error as { code: string; details: { path: string }[] });
    expect(refused).toMatchObject({ code });
    if (!('details' in refused)) throw new Error('was not refused');
    expect(refused.details.map(({ path }) => path)).toEqual(paths);
  });
});

it('the format of a file counts as a connector that is used', async () => {
  await create('file', { format: 'json' });
  const { rows } = await installation.pool.query(
    "SELECT DISTINCT format FROM penstock.pipelines WHERE state->'exports' IS NOT NULL ORDER BY format",
  );
  expect(rows).toEqual([{ format: 'csv' }, { format: 'json' }, { format: null }]);
});

it('an export that reads what profiles no longer have is affected, and fails until it is updated', async () => {
  const id = await create('file', { inSchema: profiles('email', 'last_name') });
  const other = await create('database', {
    inSchema: profiles('email', 'first_name'),
    transformation: mapping({ mail: 'email', name: 'first_name' }),
  });
  const input = { schema: profiles('email', 'first_name'), rePaths: {}, primarySources: {} };
  const { affectedPipelines } = await installation.command('ChangeProfileSchema', input);
  expect(affectedPipelines).toContain(id);
  expect(affectedPipelines).not.toContain(other);
  expect((await get(id)).health).toMatchObject({
    ...{ status: 'Failing', code: 'ProfilesChanged', detail: 'last_name' },
  });
  expect((await get(other)).health).toMatchObject({ code: 'NeverRun' });
  const given = { ...sentBack(await get(id)), inSchema: profiles('email') };
  await installation.command('UpdatePipeline', given);
  expect((await get(id)).health).toMatchObject({ code: 'NeverRun' });
});
