import type { Connectors } from '@penstock/connectors';
import type {
  ConnectionId,
  CreatePipeline,
  OrganizationCounts,
  WorkspaceId,
} from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import { Installation } from '../testing/installation.fixture';
import { FILE } from '../testing/import.fixture';
import { aPipeline } from '../testing/pipeline.fixture';

jest.setTimeout(120_000);

let installation: Installation;

afterEach(() => installation.close());

/** A first workspace and a second one, in an organization of these limits; absent: those of everybody. */
const open = async (limits?: Partial<OrganizationCounts>) => {
  installation = await Installation.open();
  await installation.start({
    connectors: manyConnectors(installation.connectors),
    ...(limits && { limits }),
  });
  const { organization, workspace } = await installation.founded();
  const other = newId() as WorkspaceId;
  const warehouse = installation.newWarehouse(other);
  const name = 'Second';
  await installation.command(
    'CreateWorkspace',
    { id: other, name, warehouse },
    { organization, workspace: other },
  );
  return { first: { organization, workspace }, second: { organization, workspace: other } };
};

/** More than an organization may use. */
const manyConnectors = ({ list, get }: Connectors): Connectors => ({
  list: Array.from({ length: 101 }, () => list).flat(),
  get,
});

type Context = Awaited<ReturnType<typeof open>>['first'];

/** What became of all of them: codes and messages of the refused, how many were not. */
const outcomes = async (tries: readonly Promise<unknown>[]) => {
  const settled = await Promise.allSettled(tries);
  const refused = settled.flatMap((each) =>
    each.status === 'rejected' ? [each.reason as { code: string; message: string }] : [],
  );
  return {
    made: settled.length - refused.length,
    refusals: [...new Set(refused.map(({ code, message }) => `${code}: ${message}`))],
  };
};

const s3 = ({ workspace }: Context): string =>
  installation.sealed(
    {
      accessKeyID: 'AKIA0123456789ABCDEF',
      secretAccessKey: 's'.repeat(40),
      region: 'eu-central-1',
      bucket: 'bucket',
    },
    workspace,
  );

const create = (destination: ConnectionId, context: Context): Promise<unknown> =>
  installation.command('CreatePipeline', aPipeline(destination), context);

it('an organization is returned with its limits and the counts of all its workspaces', async () => {
  const { first, second } = await open({ pipelines: 7 });
  const destination = await installation.destination({}, first);
  await installation.source({}, second);
  for (const _ of [1, 2]) await create(destination, first);
  const view = await installation.query('GetOrganization', {}, first);
  expect(view).toMatchObject({
    id: first.organization,
    enabled: true,
    limits: { connectors: 1_000, connections: 10_000, pipelines: 7, workspaces: 100, keys: 100 },
    use: { connectors: 1, connections: 2, pipelines: 2, workspaces: 2, keys: 1 },
  });
});

it('an organization has no more pipelines than the limit, in all its workspaces, under concurrent requests', async () => {
  const { first, second } = await open({ pipelines: 7 });
  const destinations = [
    { id: await installation.destination({}, first), context: first },
    { id: await installation.destination({}, second), context: second },
  ];
  const tries = Array.from({ length: 25 }, () =>
    destinations.map(({ id, context }) => create(id, context)),
  ).flat();
  expect(tries).toHaveLength(50);
  expect(await outcomes(tries)).toEqual({
    made: 7,
    refusals: ['PipelinesLimitReached: organization cannot have more than 7 pipelines'],
  });
  const { rows } = await installation.pool.query('SELECT FROM penstock.pipelines');
  expect(rows).toHaveLength(7);
});

it('a deleted pipeline no longer counts', async () => {
  const { first } = await open({ pipelines: 1 });
  const destination = await installation.destination({}, first);
  const { id } = await installation.command('CreatePipeline', aPipeline(destination), first);
  await expect(create(destination, first)).rejects.toMatchObject({ code: 'PipelinesLimitReached' });
  await installation.command('DeletePipeline', { id }, first);
  await create(destination, first);
});

it('an organization uses no more connectors in its pipelines than the limit', async () => {
  const { first, second } = await open({ connectors: 1 });
  const dummy = await installation.destination({}, first);
  const another = await installation.destination({}, second);
  const settings = installation.sealed({ url: 'https://example.com' }, second.workspace);
  const http = await installation.destination({ connector: 'http', settings }, second);
  await create(dummy, first);
  await create(another, second);
  const pipeline = aPipeline(http, { eventType: 'send_event' });
  await expect(installation.command('CreatePipeline', pipeline, second)).rejects.toMatchObject({
    code: 'ConnectorsLimitReached',
    message: 'organization cannot use more than 1 connectors',
  });
});

it('formats of files count as connectors', async () => {
  const { first, second } = await open({ connectors: 2 });
  const files = await installation.source({ connector: 's3', settings: s3(first) }, first);
  const dummy = await installation.destination({}, second);
  const read = (format: string, more: object = {}): CreatePipeline => ({
    ...aPipeline(files, { target: 'User', eventType: null, ...FILE }),
    format,
    ...more,
  });
  const csv = read('csv');
  await installation.command('CreatePipeline', csv, first);
  await installation.command('CreatePipeline', read('csv'), first);
  const use = async () => (await installation.query('GetOrganization', {}, first)).use;
  expect(await use()).toMatchObject({ connectors: 2 });
  const refused = {
    code: 'ConnectorsLimitReached',
    message: 'organization cannot use more than 2 connectors',
  };
  const workbook = read('excel', { sheet: 'S' });
  await expect(installation.command('CreatePipeline', workbook, first)).rejects.toMatchObject(
    refused,
  );
  await expect(create(dummy, second)).rejects.toMatchObject(refused);
  const { connection: _, target: _target, eventType: _type, ...definition } = workbook;
  const update = (id: string): Promise<unknown> =>
    installation.command('UpdatePipeline', { ...definition, id }, first);
  await expect(update(csv.id)).rejects.toMatchObject(refused);
  await installation.command('UpdatePipeline', { ...csv, name: 'Other' }, first);
  const { pipelines } = await installation.read('ListPipelines', { limit: 9, cursor: '' }, first);
  const [other] = pipelines.filter(({ id }) => id !== csv.id);
  await installation.command('DeletePipeline', { id: other?.id ?? '' }, first);
  await expect(update(csv.id)).resolves.toBeDefined();
  expect(await use()).toMatchObject({ connectors: 2 });
});

describe('by default', () => {
  /** So many pipelines more, each on a connection of another connector. */
  const fill = async (count: number, { workspace }: Context): Promise<void> => {
    await installation.pool.query(
      `INSERT INTO penstock.connections (id, workspace, state)
         SELECT 'filler' || n, $2, json_build_object('connector', 'filler' || n)
         FROM generate_series(1, $1::int) n`,
      [count, workspace],
    );
    await installation.pool.query(
      `INSERT INTO penstock.pipelines (id, workspace, connection, enabled, state)
         SELECT 'filler' || n, $2, 'filler' || n, false, '{}' FROM generate_series(1, $1::int) n`,
      [count, workspace],
    );
  };

  it('an organization has at most 10,000 pipelines', async () => {
    const { first, second } = await open({ connectors: 1_000_000 });
    const destination = await installation.destination({}, second);
    await fill(9_999, first);
    await create(destination, second);
    await expect(create(destination, second)).rejects.toMatchObject({
      code: 'PipelinesLimitReached',
      message: 'organization cannot have more than 10000 pipelines',
    });
  });

  it('an organization uses at most 1,000 connectors', async () => {
    const { first, second } = await open();
    const dummy = await installation.destination({}, second);
    const settings = installation.sealed({ url: 'https://example.com' }, second.workspace);
    const http = await installation.destination({ connector: 'http', settings }, second);
    await fill(999, first);
    await create(dummy, second);
    const pipeline = aPipeline(http, { eventType: 'send_event' });
    await expect(installation.command('CreatePipeline', pipeline, second)).rejects.toMatchObject({
      code: 'ConnectorsLimitReached',
      message: 'organization cannot use more than 1000 connectors',
    });
    await create(dummy, second);
  });
});

it('an organization has no more connections than the limit', async () => {
  const { first, second } = await open({ connections: 3 });
  const tries = [first, second, first, second, first].map((context) =>
    installation.source({}, context),
  );
  expect(await outcomes(tries)).toEqual({
    made: 3,
    refusals: ['ConnectionsLimitReached: organization cannot have more than 3 connections'],
  });
});

it('an organization has no more workspaces than the limit, and a refused one leaves its warehouse untouched', async () => {
  const { first } = await open({ workspaces: 2 });
  const id = newId() as WorkspaceId;
  const command = { id, name: 'Third', warehouse: installation.newWarehouse(id) };
  await expect(installation.command('CreateWorkspace', command, first)).rejects.toMatchObject({
    code: 'WorkspacesLimitReached',
    message: 'organization cannot have more than 2 workspaces',
  });
  const { rows } = await installation.pool.query(
    'SELECT FROM information_schema.schemata WHERE schema_name = $1',
    [`warehouse_${id}`],
  );
  expect(rows).toEqual([]);
});
