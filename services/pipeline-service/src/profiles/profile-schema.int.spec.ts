import type {
  ConnectionId,
  PipelineId,
  WarehouseMode,
  WarehouseState,
  WorkspaceId,
} from '@penstock/contracts';
import type { PoolClient } from 'pg';
import { newId } from '@penstock/runtime';
import { Installation } from '../testing/installation.fixture';
import { APPLICATION } from '../testing/import.fixture';

jest.setTimeout(60_000);

let installation: Installation;
let workspace: WorkspaceId;

const run = async (...statements: string[]): Promise<void> => {
  for (const statement of statements) await installation.pool.query(statement);
};

const schemaOf = (...names: readonly string[]): string =>
  JSON.stringify({
    kind: 'object',
    properties: names.map((name) => ({ name, type: { kind: 'string' }, readOptional: true })),
  });

const context = (more: object = {}) => ({ workspace, ...more });

const inputOf = (
  schema: string,
  rePaths: Record<string, string | null> = {},
  primarySources: Record<string, string> = {},
) => ({ schema, rePaths, primarySources });

const change = (...given: Parameters<typeof inputOf>) =>
  installation.command('ChangeProfileSchema', inputOf(...given), context());
const latest = () => installation.read('GetLatestProfileSchemaChange', {}, context());

const names = async (): Promise<string[]> => {
  const { schema } = await installation.read('GetProfileSchema', {}, context());
  const { properties } = JSON.parse(schema) as { properties: { name: string }[] };
  return properties.map(({ name }) => name);
};

const columns = async (): Promise<string[]> => {
  const { fields } = await installation.pool.query('SELECT * FROM warehouse.profiles LIMIT 0');
  return fields.map(({ name }) => name).filter((name) => !name.startsWith('_'));
};

const facts = async (): Promise<string[]> => {
  const { rows } = await installation.pool.query<{ type: string }>(
    `SELECT type FROM penstock.facts WHERE stream LIKE 'warehouse-%' ORDER BY position`,
  );
  return rows.map(({ type }) => type.replace('ProfileSchemaChange', ''));
};

const refused = (code: string, ...details: object[]): unknown =>
  expect.objectContaining({
    code,
    ...(details.length > 0 && {
      details: details.map((detail): unknown => expect.objectContaining(detail)),
    }),
  });

beforeEach(async () => {
  installation = await Installation.open();
  const url = new URL(installation.databaseUrl);
  url.search = '?schema=warehouse';
  await installation.start({ firstWarehouse: { url: url.href } });
  await installation.keepResolutions();
  ({ workspace } = await installation.founded());
});
afterEach(() => installation.close());

const anImport = async (id: PipelineId): Promise<void> => {
  const connection = await installation.source({ connector: 'dummy' }, context());
  const members = { name: 'Users', connection, target: 'User' as const, eventType: null };
  const pipeline = { id, ...members, enabled: true, ...APPLICATION };
  await installation.command('CreatePipeline', pipeline, context());
};

it('changes columns and configuration, and repeating it changes nothing', async () => {
  expect(await latest()).toEqual({ startTime: null, endTime: null, error: null });
  const wanted = ['mail', 'last_name', 'phone'];
  const rePaths = { mail: 'email' };
  expect(await change(schemaOf(...wanted), rePaths)).toEqual({ affectedPipelines: [] });
  expect([await names(), await columns()]).toEqual([wanted, wanted]);
  await change(schemaOf(...wanted), rePaths);
  expect(await facts()).toEqual(['WarehouseCreated', 'Started', 'Ended']);
  expect(await latest()).toMatchObject({ startTime: expect.any(String) as string, error: null });
  const repaired = await installation.command('RepairWarehouse', {}, context());
  expect(repaired).toEqual({});
  expect(await facts()).toHaveLength(3);
});

it('tells the statements of a change, and changes nothing', async () => {
  const given = { schema: schemaOf('mail', 'first_name', 'last_name'), rePaths: { mail: 'email' } };
  const { queries } = await installation.query('PreviewProfileSchemaChange', given, context());
  expect(queries.join('\n')).toContain('RENAME COLUMN "email"');
  expect(await names()).toEqual(['email', 'first_name', 'last_name']);
  await run('BEGIN', ...queries, 'ROLLBACK');
});

it('answers the pipelines that do not fit, which fail with the path and cannot be saved', async () => {
  const id = newId() as PipelineId;
  await anImport(id);
  const others = schemaOf('first_name', 'last_name');
  const preview = { schema: others, rePaths: {} };
  expect(await installation.query('PreviewProfileSchemaChange', preview, context())).toMatchObject({
    affectedPipelines: [id],
  });
  expect(await change(others)).toEqual({ affectedPipelines: [id] });
  const { health } = await installation.read('GetPipeline', { id }, context());
  expect(health).toMatchObject({ status: 'Failing', code: 'ProfilesChanged', detail: 'email' });
  const update = { id, name: 'Users', ...APPLICATION };
  await expect(installation.command('UpdatePipeline', update, context())).rejects.toEqual(
    refused('SchemaNotAligned', { path: '/outSchema/properties/0' }),
  );
});

it('is refused at another version than the expected one, and not repeated for one command', async () => {
  const given = inputOf(schemaOf('email'));
  const at = (more: object) => installation.command('ChangeProfileSchema', given, context(more));
  await expect(at({ expectedVersion: 2 })).rejects.toEqual(refused('Conflict'));
  const commandId = 'command-1';
  await at({ expectedVersion: 1, commandId });
  await change(schemaOf('phone'));
  await at({ expectedVersion: 1, commandId });
  expect(await names()).toEqual(['phone']);
});

it('a dry run changes nothing, and is refused as the change would be', async () => {
  const dry = (schema: string) =>
    installation.command('ChangeProfileSchema', inputOf(schema), context({ isDryRun: true }));
  await dry(schemaOf('email'));
  await run('CREATE VIEW public.mine AS SELECT last_name FROM warehouse.profiles');
  await expect(dry(schemaOf('email'))).rejects.toEqual(refused('InvalidWarehouseSettings'));
  expect([await facts(), await names()]).toEqual([
    ['WarehouseCreated'],
    ['email', 'first_name', 'last_name'],
  ]);
});

it('checks form, sources, difference and mode, in this order', async () => {
  const unknown = { email: 'nothing000000' };
  const source = await installation.source({}, context());
  const other = JSON.stringify({
    kind: 'object',
    properties: [{ name: 'email', type: { kind: 'boolean' }, readOptional: true }],
  });
  await installation.command(
    'SetWarehouseMode',
    { mode: 'Inspection', cancelIncompatibleOperations: false },
    context(),
  );
  await expect(change(schemaOf('_email'), { '.': 'x' }, unknown)).rejects.toEqual(
    refused('BadRequest', { path: '/schema/properties/0/name' }, { path: '/rePaths/.' }),
  );
  await expect(change(other, {}, unknown)).rejects.toEqual(
    refused('ConnectionNotExist', { path: '/primarySources/email' }),
  );
  await expect(change(other, {}, { email: '\0' })).rejects.toEqual(
    refused('ConnectionNotExist', { path: '/primarySources/email' }),
  );
  await expect(change(other, {}, { mail: source })).rejects.toEqual(
    refused('BadRequest', { path: '/primarySources/mail' }),
  );
  await expect(change(other, {}, { email: source })).rejects.toEqual(
    refused('InvalidProfileSchema', { path: '/schema/properties/0' }),
  );
  await expect(change(schemaOf('email'))).rejects.toEqual(refused('InspectionMode'));
  expect(await facts()).toEqual(['WarehouseCreated', 'WarehouseModeChanged']);
});

describe('a change that is under way', () => {
  const setMode = (mode: WarehouseMode, cancelIncompatibleOperations: boolean) =>
    installation.command('SetWarehouseMode', { mode, cancelIncompatibleOperations }, context());
  const recorded = async (fact: string): Promise<void> => {
    while (!(await facts()).includes(fact)) await new Promise((done) => setTimeout(done, 20));
  };
  let holder: PoolClient;
  let changing: Promise<unknown>;

  beforeEach(async () => {
    holder = await installation.pool.connect();
    await holder.query('BEGIN; LOCK TABLE warehouse._profiles');
    changing = change(schemaOf('email')).catch((error: unknown) => error);
    await recorded('Started');
  });
  afterEach(() => {
    holder.release();
  });

  it('hinders a mode that forbids it, and no other', async () => {
    await expect(setMode('Inspection', false)).rejects.toEqual(
      refused('OperationAlreadyExecuting'),
    );
    expect(await facts()).toEqual(['WarehouseCreated', 'Started']);
    const allowed = setMode('Maintenance', false);
    await recorded('WarehouseModeChanged');
    await holder.query('COMMIT');
    await allowed;
    expect(await changing).toMatchObject({ affectedPipelines: [] });
    expect(await facts()).toEqual(['WarehouseCreated', 'Started', 'WarehouseModeChanged', 'Ended']);
    await setMode('Inspection', false);
  });

  it('is waited for by a mode that cancels it', async () => {
    let isAnswered = false;
    const set = setMode('Inspection', true).then(() => (isAnswered = true));
    await recorded('WarehouseModeChanged');
    await new Promise((done) => setTimeout(done, 500));
    expect(isAnswered).toBe(false);
    await holder.query('COMMIT');
    await set;
    expect(await latest()).toMatchObject({ error: null, endTime: expect.any(String) as string });
    expect(await changing).toMatchObject({ affectedPipelines: [] });
    await expect(change(schemaOf('phone'))).rejects.toEqual(refused('InspectionMode'));
  });
});

it('records primary sources, and marks what is to be computed again', async () => {
  const source: ConnectionId = await installation.source({}, context());
  const same = schemaOf('email', 'first_name', 'last_name');
  await change(same, {}, { email: source });
  const { rows } = await installation.pool.query<{ state: WarehouseState }>(
    'SELECT state FROM penstock.warehouses',
  );
  expect(rows[0]?.state.profiles).toMatchObject({ version: 2, primarySources: { email: source } });
  await change(same);
  expect(await facts()).toEqual(['WarehouseCreated', 'Started', 'Ended', 'Started', 'Ended']);
});

// Where one call comes in between the steps of another is a matter of chance.
it.each([1, 2, 3, 4])(
  'calls at the same time, %i: equal ones join, and every other waits for none',
  async () => {
    const one = schemaOf('email', 'a');
    const calls = [one, one, schemaOf('email', 'b'), one].map((schema) => change(schema));
    const outcomes = await Promise.allSettled(calls);
    const reasons = outcomes.flatMap((each) =>
      each.status === 'rejected' ? [(each.reason as { code: string }).code] : [],
    );
    expect(reasons.filter((code) => code !== 'OperationAlreadyExecuting')).toEqual([]);
    expect(await names()).toEqual(await columns());
    expect((await facts()).slice(1)).toEqual(
      Array.from({ length: (await facts()).length - 1 }, (_, index) =>
        index % 2 === 0 ? 'Started' : 'Ended',
      ),
    );
  },
);

it('a change that the warehouse refuses has failed, and the next one goes on', async () => {
  await run('CREATE VIEW public.mine AS SELECT last_name FROM warehouse.profiles');
  await expect(change(schemaOf('email'))).rejects.toEqual(refused('InvalidWarehouseSettings'));
  expect(await latest()).toMatchObject({ error: expect.stringContaining('depend') as string });
  expect(await names()).toEqual(['email', 'first_name', 'last_name']);
  await run('DROP VIEW public.mine');
  await change(schemaOf('email'));
  expect([await names(), await columns()]).toEqual([['email'], ['email']]);
});

/** The end of a change cannot be recorded, as when its worker dies before. @returns what makes an end of that */
const withoutEnds = async (): Promise<() => Promise<void>> => {
  await run(
    `CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION 'no ends'; END $$`,
    `CREATE TRIGGER refuse BEFORE INSERT ON penstock.facts FOR EACH ROW
       WHEN (NEW.type = 'ProfileSchemaChangeEnded') EXECUTE FUNCTION public.refuse()`,
  );
  return () => run('DROP TRIGGER refuse ON penstock.facts');
};

it.each([
  ['the same call', () => change(schemaOf('email', 'phone'))],
  ['another call', () => change(schemaOf('email', 'first_name', 'phone'))],
  ['a repair', () => installation.command('RepairWarehouse', {}, context())],
])('a change that was committed and not recorded holds after %s', async (_, next) => {
  const allowEnds = await withoutEnds();
  await expect(change(schemaOf('email', 'phone'))).rejects.toThrow();
  expect(await columns()).toEqual(['email', 'phone']);
  expect(await names()).toEqual(['email', 'first_name', 'last_name']);
  await allowEnds();
  await next();
  expect(await names()).toEqual(await columns());
  expect((await facts()).slice(0, 3)).toEqual(['WarehouseCreated', 'Started', 'Ended']);
});

it('a change that was left before it was committed is interrupted, and can be made', async () => {
  await run('CREATE VIEW public.mine AS SELECT last_name FROM warehouse.profiles');
  const allowEnds = await withoutEnds();
  await expect(change(schemaOf('email'))).rejects.toThrow();
  await allowEnds();
  await installation.command('RepairWarehouse', {}, context());
  expect(await latest()).toMatchObject({ error: 'interrupted' });
  await run('DROP VIEW public.mine');
  await change(schemaOf('email'));
  expect([await names(), await columns()]).toEqual([['email'], ['email']]);
});

it('a change that nobody asks about is ended by itself', async () => {
  const allowEnds = await withoutEnds();
  await expect(change(schemaOf('email', 'phone'))).rejects.toThrow();
  await allowEnds();
  const started = performance.now();
  while ((await latest()).endTime === null) {
    expect(performance.now() - started).toBeLessThan(20_000);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(await names()).toEqual(['email', 'phone']);
}, 40_000);
