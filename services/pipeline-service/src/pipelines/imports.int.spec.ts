import {
  type Connector,
  type Connectors,
  createConnectors,
  DummyStore,
} from '@penstock/connectors';
import type {
  ConnectionId,
  CreatePipeline,
  Instant,
  PipelineId,
  PipelineView,
  RunControlFact,
  RunControlState,
  RunId,
  WorkspaceId,
} from '@penstock/contracts';
import { PostgresEventStore, VersionConflict } from '@penstock/event-sourcing';
import type { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import { newId } from '@penstock/runtime';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import type { DataSource } from 'typeorm';
import { Configuration } from '../command-handling/configuration';
import { appendTo, load } from '../command-handling/decide-on';
import { ConnectionSettings } from '../connections/connection-settings';
import { DataKeys } from '../data-keys/data-keys';
import { connectDatabase } from '../database/database';
import { runControlDecider, runControlStream } from '../domain/run-control.decide';
import { closeRuns } from '../live-runs/live-runs';
import { projectViews } from '../read-model/project-views';
import { Installation, SECRETS } from '../testing/installation.fixture';
import { interruptedStore } from '../testing/interrupted-store.fixture';
import { aPipeline, mapped } from '../testing/pipeline.fixture';
import {
  APPLICATION,
  DATABASE,
  FILE,
  mapping,
  profiles,
  schemaOf,
} from '../testing/import.fixture';
import { PipelineChecks } from './pipeline-checks';
import { PipelineConnections } from './pipeline-connections';
import { UpdatePipeline } from './update-pipeline';

jest.setTimeout(90_000);

let installation: Installation;
let database: DataSource;
let connectors: Connectors;
let sources: Readonly<Record<'application' | 'database' | 'file' | 'events', ConnectionId>>;

/** The connectors of the installation, and a database, of which only the type matters here. */
const withDatabase = ({ list }: Connectors): Connectors => {
  const like = list.find(({ code }) => code === 'dummy');
  if (like === undefined) throw new Error('there is no connector dummy');
  const { userSource: _, eventDestination: _events, ...rest } = like;
  const added: Connector = { ...rest, code: 'base', type: 'Database', asDestination: null };
  const all = [...list, added];
  return { list: all, get: (code) => all.find((each) => each.code === code) };
};

beforeAll(async () => {
  installation = await Installation.open();
  const dummyStore = new DummyStore(installation.pool);
  connectors = withDatabase(createConnectors({ dummyStore, filesRoot: tmpdir() }));
  await installation.start({ connectors });
  database = await connectDatabase(installation.databaseUrl, () => undefined);
  sources = {
    application: await installation.source({ connector: 'dummy' }),
    database: await installation.source({ connector: 'base' }),
    file: await installation.source({ connector: 'filesystem' }),
    events: await installation.source(),
  };
});

afterAll(async () => {
  await database.destroy();
  await installation.close();
});

const MEMBERS = { application: APPLICATION, database: DATABASE, file: FILE } as const;
type Kind = keyof typeof MEMBERS;
const KINDS = Object.keys(MEMBERS) as Kind[];

const anImport = (kind: Kind, changes: Partial<CreatePipeline> = {}): CreatePipeline => ({
  ...aPipeline(sources[kind], { target: 'User', eventType: null }),
  ...MEMBERS[kind],
  ...changes,
});

const create = async (kind: Kind, changes: Partial<CreatePipeline> = {}): Promise<PipelineId> =>
  (await installation.command('CreatePipeline', anImport(kind, changes))).id;

const get = (id: string) => installation.read('GetPipeline', { id });

/** What a client sends that sends back what it has got. */
const sentBack = ({
  id,
  name,
  enabled,
  filter,
  transformation,
  outSchema,
  imports,
}: PipelineView) => {
  if (imports === undefined) throw new Error('is no import');
  const { source, inSchema, incremental } = imports;
  const columns =
    source.kind === 'application'
      ? {}
      : {
          userIDColumn: source.columns.userID,
          ...(source.columns.updatedAt !== null && { updatedAtColumn: source.columns.updatedAt }),
          ...(source.columns.updatedAtFormat !== null && {
            updatedAtFormat: source.columns.updatedAtFormat,
          }),
        };
  return {
    id,
    name,
    enabled,
    filter,
    transformation: JSON.stringify(transformation),
    outSchema,
    inSchema,
    incremental,
    ...(source.kind === 'database' && { query: source.query }),
    ...(source.kind === 'file' && {
      format: source.format,
      path: source.path,
      ...(source.sheet !== null && { sheet: source.sheet }),
      compression: source.compression,
      formatSettings: source.formatSettings,
    }),
    ...columns,
  };
};

describe.each(KINDS)('an import of the kind %s', (kind) => {
  it('is read back with all that was given', async () => {
    const id = await create(kind);
    const view = await get(id);
    expect(view).toMatchObject({
      id,
      version: 1,
      connection: sources[kind],
      connectionRole: 'Source',
      target: 'User',
      eventType: null,
      filter: null,
      transformation: { mapping: { email: 'email' }, function: null },
      imports: { source: { kind }, incremental: false },
    });
    expect(JSON.parse(view.inSchema)).toMatchObject(
      JSON.parse(MEMBERS[kind].inSchema ?? '') as object,
    );
    expect(JSON.parse(view.outSchema ?? '')).toMatchObject(JSON.parse(profiles('email')) as object);
    const { pipelines } = await installation.read('GetConnection', { id: sources[kind] });
    expect(pipelines).toContain(id);
    const listed = await installation.read('ListPipelines', {
      limit: 1_000,
      cursor: '',
      connection: sources[kind],
    });
    expect(listed.pipelines).toContainEqual(view);
  });

  it('is not changed when what was read is sent back', async () => {
    const id = await create(kind, { incremental: true });
    await installation.command('UpdatePipeline', sentBack(await get(id)));
    expect(await get(id)).toMatchObject({ version: 1, imports: { incremental: true } });
  });

  it('is updated, enabled, disabled and deleted', async () => {
    const id = await create(kind);
    const { name: _, enabled: _enabled, ...rest } = sentBack(await get(id));
    await installation.command('UpdatePipeline', { ...rest, name: 'Other' });
    expect(await get(id)).toMatchObject({ version: 2, name: 'Other', enabled: true });
    await installation.command('SetPipelineStatus', { id, enabled: false });
    expect(await get(id)).toMatchObject({ version: 3, enabled: false });
    await installation.command('DeletePipeline', { id });
    await expect(get(id)).rejects.toMatchObject({ code: 'PipelineNotExist' });
  });

  it('must have its members again in an update; those left out return to their defaults', async () => {
    const id = await create(kind, { incremental: true });
    const { inSchema: _, ...rest } = sentBack(await get(id));
    await expect(installation.command('UpdatePipeline', rest)).rejects.toMatchObject({
      code: 'BadRequest',
      details: [expect.objectContaining({ path: '/inSchema' })],
    });
    const { incremental: _incremental, ...without } = sentBack(await get(id));
    await installation.command('UpdatePipeline', without);
    expect(await get(id)).toMatchObject({ version: 2, imports: { incremental: false } });
  });

  it('is not created by a dry run', async () => {
    const pipeline = anImport(kind);
    await installation.command('CreatePipeline', pipeline, { isDryRun: true });
    await expect(get(pipeline.id)).rejects.toMatchObject({ code: 'PipelineNotExist' });
  });

  it('is there as of a time before it was changed', async () => {
    const id = await create(kind);
    const before = await get(id);
    const { rows } = await installation.pool.query<{ at: string }>(
      "SELECT coalesce(effective_time, time) AS at FROM penstock.facts WHERE stream = 'pipeline-' || $1",
      [id],
    );
    const at = new Date(rows[0]?.at ?? '').toISOString() as Instant;
    await installation.command('UpdatePipeline', { ...sentBack(before), name: 'Later' });
    await installation.untilPast(at);
    expect(await installation.query('GetPipelineAsOf', { id, at })).toEqual(before);
  });
});

describe('the order of checks', () => {
  const wrong = { filter: '{}', query: '${x}', eventType: 'nothing' };
  type Row = [string, Kind, Partial<CreatePipeline>, string, readonly string[]];
  const gone = newId() as ConnectionId;
  const ROWS: Row[] = [
    ['the connection', 'database', { ...wrong, connection: gone }, 'ConnectionNotExist', []],
    ['the target', 'database', { ...wrong, target: 'Event' }, 'BadRequest', ['/target']],
    [
      'the members of the kind',
      'file',
      { format: 'xml', query: 'SELECT 1', eventType: 'nothing' },
      'BadRequest',
      ['/eventType', '/query'],
    ],
    ['the format', 'file', { format: 'xml', filter: '{}' }, 'FormatNotExist', []],
    [
      'all that is wrong in the definition, with the path',
      'file',
      {
        filter: '{}',
        path: '../x',
        sheet: 'S',
        userIDColumn: 'nothing',
        outSchema: profiles('email', 'nothing'),
        transformation: JSON.stringify({
          function: {
            source: '(',
            language: 'Ruby',
            preserveJSON: false,
            inPaths: ['email'],
            outPaths: ['email', 'nothing'],
          },
        }),
      },
      'BadRequest',
      ['/sheet', '/path', '/userIDColumn', '/filter/logical', '/filter/conditions'],
    ],
    [
      'the language, before the schema of profiles',
      'application',
      {
        outSchema: profiles('nothing'),
        transformation: JSON.stringify({
          function: {
            source: '(',
            language: 'Ruby',
            preserveJSON: false,
            inPaths: ['email'],
            outPaths: ['nothing'],
          },
        }),
      },
      'UnsupportedLanguage',
      [],
    ],
    [
      'the schema of profiles, before the function',
      'application',
      {
        outSchema: profiles('nothing'),
        transformation: JSON.stringify({
          function: {
            source: '(',
            language: 'JavaScript',
            preserveJSON: false,
            inPaths: ['email'],
            outPaths: ['nothing'],
          },
        }),
      },
      'SchemaNotAligned',
      ['/outSchema/properties/0'],
    ],
    [
      'the function',
      'application',
      {
        transformation: JSON.stringify({
          function: {
            source: '(',
            language: 'JavaScript',
            preserveJSON: false,
            inPaths: ['email'],
            outPaths: ['email'],
          },
        }),
      },
      'TransformationFailed',
      ['/transformation/function/source'],
    ],
  ];

  it.each(ROWS)('%s', async (_, kind, changes, code, paths) => {
    const refused = await installation
      .command('CreatePipeline', anImport(kind, changes))
      .catch((error: unknown) => error as { code: string; details: { path: string }[] });
    expect(refused).toMatchObject({ code });
    if (!('details' in refused)) throw new Error('was not refused');
    expect(refused.details.map(({ path }) => path)).toEqual(paths);
  });

  it.each([
    ['imports', { target: 'User', eventType: null, ...APPLICATION }, '/inSchema'],
    ['sends', {}, '/eventType'],
  ])('a source of events has no pipeline that %s', async (_, changes, path) => {
    const pipeline = aPipeline(sources.events, changes);
    await expect(installation.command('CreatePipeline', pipeline)).rejects.toMatchObject({
      code: 'BadRequest',
      details: [expect.objectContaining({ path })],
    });
  });

  it('a pipeline on events has no members of imports', async () => {
    const destination = await installation.destination();
    const pipeline = aPipeline(destination, {
      eventType: 'send_add_to_cart',
      ...mapped,
      inSchema: schemaOf({ email: { kind: 'string' } }),
      incremental: false,
    });
    await expect(installation.command('CreatePipeline', pipeline)).rejects.toMatchObject({
      code: 'BadRequest',
      details: [
        expect.objectContaining({ path: '/inSchema' }),
        expect.objectContaining({ path: '/incremental' }),
      ],
    });
  });

  it('of an update: the shape of a transformation comes before the pipeline', async () => {
    const { name, filter, outSchema } = anImport('application');
    const update = (transformation: string) =>
      installation.command('UpdatePipeline', {
        id: newId(),
        name,
        filter,
        outSchema,
        transformation,
      });
    await expect(update('{}')).rejects.toMatchObject({ code: 'BadRequest' });
    await expect(update(mapping({ x: '(' }))).rejects.toMatchObject({ code: 'PipelineNotExist' });
  });

  it('an import cannot be replayed', async () => {
    const pipeline = await create('application');
    await expect(
      installation.query('CheckReplay', { pipeline, filter: null, draft: null }),
    ).rejects.toMatchObject({ code: 'PipelineNotExist' });
  });
});

it('functions of imports are compiled', async () => {
  const transformation = JSON.stringify({
    function: {
      source: 'const transform = ({ email }) => ({ email });',
      language: 'JavaScript',
      preserveJSON: false,
      inPaths: ['email'],
      outPaths: ['email'],
    },
  });
  const id = await create('file', { transformation });
  expect(await get(id)).toMatchObject({ transformation: { mapping: null } });
});

/** Records facts of the runs of a pipeline, as the handlers of runs do. */
const record = async (id: string, ...facts: readonly RunControlFact[]): Promise<void> => {
  const store = new PostgresEventStore(database.manager);
  const runs = await load(store, runControlDecider, runControlStream(id));
  await store.append({
    streams: [appendTo(runs, facts)],
    cause: { commandId: randomUUID(), actor: 'test', requestId: 'request' },
    reply: {},
    project: projectViews,
  });
};

const runsOf = async (id: string): Promise<RunControlState | null> =>
  (await load(new PostgresEventStore(database.manager), runControlDecider, runControlStream(id)))
    .state;

const NOW = '2026-11-24T12:00:00.000Z' as Instant;
const CURSOR = '2026-11-24T11:00:00.000000Z';

const requested = (
  id: PipelineId,
  run: RunId,
  workspace = installation.workspace,
): RunControlFact => ({
  type: 'RunRequested',
  data: {
    id,
    workspace,
    run,
    trigger: 'API',
    pipelineVersion: 1,
    incremental: false,
    cursor: null,
    requestedAt: NOW,
    actor: 'key',
    slot: null,
  },
});

const ended = (run: RunId): RunControlFact => ({
  type: 'RunEnded',
  data: { run, status: 'Succeeded', cursor: CURSOR, error: '', endedAt: NOW },
});

describe('the cursor', () => {
  it('is cleared together with an update of what is read, and stays in others', async () => {
    const id = await create('file', { incremental: true });
    const run = newId() as RunId;
    await record(id, requested(id, run), ended(run));
    await installation.command('UpdatePipeline', { ...sentBack(await get(id)), name: 'Other' });
    await installation.command('SetPipelineStatus', { id, enabled: false });
    expect(await runsOf(id)).toMatchObject({ cursor: CURSOR });
    const other = { ...sentBack(await get(id)), path: 'in/others.csv' };
    await installation.command('UpdatePipeline', other, { isDryRun: true });
    expect(await runsOf(id)).toMatchObject({ cursor: CURSOR });
    await installation.command('UpdatePipeline', other);
    expect(await runsOf(id)).toMatchObject({ cursor: null });
  });

  it('is not made by a run that began before the update', async () => {
    const id = await create('database', { incremental: true });
    const run = newId() as RunId;
    await record(id, requested(id, run));
    await installation.command('UpdatePipeline', {
      ...sentBack(await get(id)),
      transformation: mapping({ email: 'lower(email)' }),
    });
    await record(id, ended(run));
    expect(await runsOf(id)).toMatchObject({ live: null, cursor: null });
  });
});

it('a run that was requested while an update was decided makes no cursor', async () => {
  const id = await create('file', { incremental: true });
  const store = interruptedStore(database.manager, 'runs-', () =>
    installation.command('RunPipeline', { id, incremental: null }),
  );
  const settings = new ConnectionSettings(new DataKeys(SECRETS));
  // Nothing else is asked of them here.
  const unused = undefined as never;
  const update = new UpdatePipeline(
    new Configuration(store),
    new PipelineChecks(new PipelineConnections(connectors, settings)),
    ...([unused, unused] as const),
    new SlowRequests(),
  );
  const wanted = { ...sentBack(await get(id)), path: 'in/others.csv' };
  const received = { pattern: 'UpdatePipeline' } as LogRequestContext;
  await update.handle({ context: installation.context(), in: wanted }, received);
  const { live } = (await runsOf(id)) ?? {};
  expect(live).toMatchObject({ pipelineVersion: 1, movesCursor: false });
  await record(id, ended(live!.run));
  expect(await runsOf(id)).toMatchObject({ live: null, cursor: null });
});

describe('a live run is cancelled', () => {
  const CANCELLED = { live: { cancelled: { reason: 'PipelineDeleted' } } };

  it('with the deletion of its pipeline', async () => {
    const [id, run] = [await create('application'), newId() as RunId];
    await record(id, requested(id, run));
    await installation.command('DeletePipeline', { id }, { isDryRun: true });
    expect(await runsOf(id)).toMatchObject({ live: { run, cancelled: null } });
    await installation.command('DeletePipeline', { id });
    expect(await runsOf(id)).toMatchObject(CANCELLED);
  });

  it('with the deletion of its connection, and runs that have ended stay as they are', async () => {
    const connection = await installation.source({ connector: 'dummy' });
    const ids = await Promise.all([1, 2, 3].map(() => create('application', { connection })));
    const [live, over, never] = ids as [PipelineId, PipelineId, PipelineId];
    const run = newId() as RunId;
    await record(live, requested(live, run));
    await record(over, requested(over, run), ended(run));
    await installation.command('DeleteConnection', { id: connection });
    expect(await runsOf(live)).toMatchObject(CANCELLED);
    expect(await runsOf(over)).toMatchObject({ live: null, cursor: CURSOR });
    expect(await runsOf(never)).toBeNull();
  });

  it('of a pipeline that got another run since the deletion was decided', async () => {
    const id = await create('application');
    const decided = await closeRuns(new PostgresEventStore(database.manager), [id], 'key1');
    expect(decided.streams).toMatchObject([{ facts: [] }]);
    await decided.verify(database.manager);
    await record(id, requested(id, newId() as RunId));
    await expect(decided.verify(database.manager)).rejects.toThrow(VersionConflict);
  });

  it('with the deletion of its workspace', async () => {
    const workspace = newId() as WorkspaceId;
    const warehouse = installation.newWarehouse(workspace);
    const { organization } = await installation.founded();
    const context = { organization, workspace };
    const input = { id: workspace, name: 'Second', warehouse };
    await installation.command('CreateWorkspace', input, context);
    const connection = await installation.source({ connector: 'dummy' }, context);
    const pipeline = anImport('application', { connection });
    await installation.command('CreatePipeline', pipeline, context);
    await record(pipeline.id, requested(pipeline.id, newId() as RunId, workspace));
    await installation.command('DeleteWorkspace', { id: workspace }, context);
    expect(await runsOf(pipeline.id)).toMatchObject(CANCELLED);
  });
});
