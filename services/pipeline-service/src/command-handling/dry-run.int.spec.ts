import {
  type Commands,
  OPERATIONS,
  type OrganizationId,
  type PipelineId,
  type SuppressionId,
  type WorkspaceId,
} from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import {
  aKey,
  CHANGES,
  type Changes,
  type Furnished,
  furnished,
  newConnection,
  newWorkspace,
} from '../testing/changes.fixture';
import { Installation } from '../testing/installation.fixture';
import { aPipeline } from '../testing/pipeline.fixture';

jest.setTimeout(120_000);

const LIMITS = { connections: 4, pipelines: 2, workspaces: 2, keys: 3 };

let installation: Installation;
let organization: OrganizationId;
let workspace: WorkspaceId;

const open = async (): Promise<void> => {
  installation = await Installation.open();
  const warehouse = new URL(installation.databaseUrl);
  warehouse.search = '?schema=warehouse_first';
  await installation.start({ limits: LIMITS, firstWarehouse: { url: warehouse.href } });
  ({ organization, workspace } = await installation.founded());
};

/** Digests of all tables, warehouses included, and the names of all schemas. */
const everything = async (): Promise<object> => {
  const { rows: tables } = await installation.pool.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname = 'penstock' OR schemaname = 'public' OR schemaname LIKE 'warehouse%'
     ORDER BY 1`,
  );
  const digests = tables.map(
    ({ name }) =>
      `SELECT '${name}' AS name, md5(string_agg(t::text, E'\\n' ORDER BY t::text)) AS text FROM ${name} t`,
  );
  const { rows: texts } = await installation.pool.query(digests.join(' UNION ALL '));
  const { rows: schemas } = await installation.pool.query(
    'SELECT nspname FROM pg_namespace ORDER BY 1',
  );
  return { texts, schemas };
};

const newestPosition = async (): Promise<number> => {
  const { rows } = await installation.pool.query<{ position: string }>(
    'SELECT position FROM penstock.head',
  );
  return Number(rows[0]?.position);
};

it('has a test of every command with a dry run', () => {
  const withDryRun = Object.entries(OPERATIONS).filter(([, { hasDryRun }]) => hasDryRun);
  const without = withDryRun.map(([name]) => name).filter((name) => !(name in CHANGES));
  // No kind of pipeline has a schedule yet: see below.
  expect(without).toEqual(['SetSchedulePeriod']);
});

/** Requests that are refused because of the state, some of them only by the append. */
const REFUSED: Readonly<
  Record<string, readonly [keyof Commands, (there: Furnished) => object, object?]>
> = {
  PipelineNotExist: ['SetPipelineStatus', () => ({ id: newId() as PipelineId, enabled: true })],
  Conflict: [
    'SetPipelineStatus',
    ({ pipeline: { id } }) => ({ id, enabled: false }),
    { expectedVersion: 7 },
  ],
  PipelineNotRunnable: ['SetSchedulePeriod', ({ pipeline: { id } }) => ({ id, period: '5m' })],
  LinkedConnectionNotExist: [
    'CreateConnection',
    (there) => ({ ...newConnection(there), linkedConnections: [newId()] }),
  ],
  InvalidWarehouseSettings: [
    'UpdateWarehouse',
    () => ({
      settings: installation.sealed({
        host: '127.0.0.1',
        port: 1,
        username: 'x',
        database: 'x',
        schema: 'x',
      }),
      mcpSettings: null,
      cancelIncompatibleOperations: false,
    }),
  ],
  KeyNotExist: ['RevokeApiKey', () => ({ id: newId(), within: null })],
};

/** Commands and queries of the pipeline service that have no dry run. */
const WITHOUT_DRY_RUN = Object.entries(OPERATIONS)
  .filter(
    ([, { kind, hasDryRun, answeredBy }]) =>
      kind !== 'read' && !hasDryRun && answeredBy === 'pipeline-service',
  )
  .map(([name]) => name as keyof Commands);

/** Members of answers that differ each time: texts of sealed secrets, and what was there before. */
const CHANGING = new Set(['sealed', 'from']);

const shapeOf = (out: object): unknown =>
  JSON.parse(JSON.stringify(out, (name, value: unknown) => (CHANGING.has(name) ? name : value)));

describe('in one installation', () => {
  const names = Object.keys(CHANGES) as (keyof Changes)[];
  const inputs = new Map<string, never>();
  const answers = new Map<string, object>();
  let there: Furnished;
  /** Everything as the test before has left it. */
  let left: object;

  beforeAll(async () => {
    await open();
    there = await furnished(installation);
    for (const name of names) inputs.set(name, CHANGES[name]?.(there) as never);
    left = await everything();
  });
  afterAll(() => installation.close());

  it.each(names)('a dry run of %s records nothing', async (name) => {
    const context = { organization, isDryRun: true };
    const dryRun = await installation.recorded(name, inputs.get(name) as never, context);
    expect(dryRun.position).toBe(await newestPosition());
    expect(await everything()).toEqual(left);
    answers.set(name, dryRun.out);
  });

  it.each(Object.entries(REFUSED))('a dry run is refused: %s', async (code, refused) => {
    const [name, input, more] = refused;
    const context = { organization, isDryRun: true, ...more };
    const dryRun = installation.recorded(name, input(there), context);
    await expect(dryRun).rejects.toMatchObject({ code });
    expect(await everything()).toEqual(left);
  });

  it('a dry run is refused by all that have none', async () => {
    expect(WITHOUT_DRY_RUN).toContain('ListFacts');
    for (const name of WITHOUT_DRY_RUN) {
      const context = { organization, isDryRun: true };
      const refusal = await installation
        .command(name, {}, context)
        .catch((error: unknown) => error);
      const details = [{ path: '/dryRun', message: 'the operation has no dry run' }];
      expect({ name, refusal }).toMatchObject({ name, refusal: { code: 'BadRequest', details } });
    }
    expect(await everything()).toEqual(left);
  });

  it.each(names)('%s is executed afterwards, with the same answer', async (name) => {
    const done = await installation.command(name, inputs.get(name) as never, { organization });
    expect(shapeOf(done)).toEqual(shapeOf(answers.get(name) ?? {}));
    const changed = await everything();
    expect(changed).not.toEqual(left);
    left = changed;
  });
});

describe('in an installation of its own', () => {
  beforeEach(open);
  afterEach(() => installation.close());

  it('refuses dry runs at each limit, and none below it', async () => {
    const there = await furnished(installation);
    const context = { organization };
    const tries = {
      CreateConnection: () => newConnection(there),
      CreatePipeline: () => aPipeline(there.destination),
      CreateWorkspace: () => newWorkspace(there),
      CreateApiKey: aKey,
    };
    const codes = {
      CreateConnection: 'ConnectionsLimitReached',
      CreatePipeline: 'PipelinesLimitReached',
      CreateWorkspace: 'WorkspacesLimitReached',
      CreateApiKey: 'KeysLimitReached',
    };
    for (const [name, input] of Object.entries(tries) as [keyof typeof tries, () => object][]) {
      for (const _ of [1, 2])
        await installation.command(name, input() as never, { ...context, isDryRun: true });
      await installation.command(name, input() as never, context);
      await expect(
        installation.command(name, input() as never, { ...context, isDryRun: true }),
      ).rejects.toMatchObject({ code: codes[name] });
    }
  });

  it('refuses a dry run in a workspace that was deleted meanwhile', async () => {
    await installation.command('DeleteWorkspace', { id: workspace }, { organization });
    const context = { organization, isDryRun: true };
    await expect(
      installation.command('SuppressUser', { id: 'user' as SuppressionId }, context),
    ).rejects.toMatchObject({ code: 'WorkspaceNotExist' });
  });

  it('repeats a dry run of one command id, and executes the command afterwards', async () => {
    const input = newConnection({ installation });
    const context = { organization, commandId: newId() };
    for (const _ of [1, 2])
      await installation.command('CreateConnection', input, { ...context, isDryRun: true });
    await installation.command('CreateConnection', input, context);
    expect(
      await installation.read('GetConnection', { id: input.id }, { organization }),
    ).toMatchObject({ id: input.id, version: 2 });
  });
});
