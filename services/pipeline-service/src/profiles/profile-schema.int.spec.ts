import type {
  ConnectionId,
  OrganizationId,
  PipelineId,
  WarehouseMode,
  WarehouseState,
  WorkspaceId,
} from '@penstock/contracts';
import type { PoolClient } from 'pg';
import { newId } from '@penstock/runtime';
import { Installation } from '../testing/installation.fixture';
import { APPLICATION } from '../testing/import.fixture';
import { eventually } from '../testing/eventually.fixture';
import { HeldTimers } from '../testing/held-timers.fixture';

jest.setTimeout(60_000);

let installation: Installation;
let organization: OrganizationId;
let workspace: WorkspaceId;
/** The schema of its warehouse. */
let schema: string;

const run = async (...statements: string[]): Promise<void> => {
  for (const statement of statements) await installation.pool.query(statement);
};

const textOf = (...names: readonly string[]): string =>
  JSON.stringify({
    kind: 'object',
    properties: names.map((name) => ({ name, type: { kind: 'string' }, readOptional: true })),
  });

const context = (more: object = {}) => ({ organization, workspace, ...more });

const inputOf = (
  text: string,
  rePaths: Record<string, string | null> = {},
  primarySources: Record<string, string> = {},
) => ({ schema: text, rePaths, primarySources });

const change = (...given: Parameters<typeof inputOf>) =>
  installation.command('ChangeProfileSchema', inputOf(...given), context());
const latest = () => installation.read('GetLatestProfileSchemaChange', {}, context());

const names = async (): Promise<string[]> => {
  const { schema: text } = await installation.read('GetProfileSchema', {}, context());
  const { properties } = JSON.parse(text) as { properties: { name: string }[] };
  return properties.map(({ name }) => name);
};

const columns = async (): Promise<string[]> => {
  const { fields } = await installation.pool.query(`SELECT * FROM ${schema}.profiles LIMIT 0`);
  return fields.map(({ name }) => name).filter((name) => !name.startsWith('_'));
};

const facts = async (): Promise<string[]> => {
  const { rows } = await installation.pool.query<{ type: string }>(
    `SELECT type FROM penstock.facts WHERE stream = 'warehouse-' || $1 ORDER BY position`,
    [workspace],
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

beforeAll(async () => {
  installation = await Installation.open();
  await installation.start();
  await installation.keepResolutions();
  ({ organization } = await installation.founded());
});
afterAll(() => installation.close());

/** Each test has a workspace of its own. */
beforeEach(async () => {
  workspace = newId() as WorkspaceId;
  schema = `warehouse_${workspace}`;
  const warehouse = installation.newWarehouse(workspace);
  await installation.command(
    'CreateWorkspace',
    { id: workspace, name: 'Shop', warehouse },
    context(),
  );
});

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
  expect(await change(textOf(...wanted), rePaths)).toEqual({ affectedPipelines: [] });
  expect([await names(), await columns()]).toEqual([wanted, wanted]);
  await change(textOf(...wanted), rePaths);
  expect(await facts()).toEqual(['WarehouseCreated', 'Started', 'Ended']);
  expect(await latest()).toMatchObject({ startTime: expect.any(String) as string, error: null });
  const repaired = await installation.command('RepairWarehouse', {}, context());
  expect(repaired).toEqual({});
  expect(await facts()).toHaveLength(3);
});

it('tells the statements of a change, and changes nothing', async () => {
  const given = { schema: textOf('mail', 'first_name', 'last_name'), rePaths: { mail: 'email' } };
  const { queries } = await installation.query('PreviewProfileSchemaChange', given, context());
  expect(queries.join('\n')).toContain('RENAME COLUMN "email"');
  expect(await names()).toEqual(['email', 'first_name', 'last_name']);
  await run('BEGIN', ...queries, 'ROLLBACK');
});

it('answers the pipelines that do not fit, which fail with the path and cannot be saved', async () => {
  const id = newId() as PipelineId;
  await anImport(id);
  const others = textOf('first_name', 'last_name');
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
  const given = inputOf(textOf('email'));
  const at = (more: object) => installation.command('ChangeProfileSchema', given, context(more));
  await expect(at({ expectedVersion: 2 })).rejects.toEqual(refused('Conflict'));
  const commandId = 'command-1';
  await at({ expectedVersion: 1, commandId });
  await change(textOf('phone'));
  await at({ expectedVersion: 1, commandId });
  expect(await names()).toEqual(['phone']);
});

it('a dry run changes nothing, and is refused as the change would be', async () => {
  const dry = (text: string) =>
    installation.command('ChangeProfileSchema', inputOf(text), context({ isDryRun: true }));
  await dry(textOf('email'));
  await run(`CREATE VIEW ${schema}.mine AS SELECT last_name FROM ${schema}.profiles`);
  await expect(dry(textOf('email'))).rejects.toEqual(refused('InvalidWarehouseSettings'));
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
  await expect(change(textOf('_email'), { '.': 'x' }, unknown)).rejects.toEqual(
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
  await expect(change(textOf('email'))).rejects.toEqual(refused('InspectionMode'));
  expect(await facts()).toEqual(['WarehouseCreated', 'WarehouseModeChanged']);
});

describe('a change that is under way', () => {
  const setMode = (mode: WarehouseMode, cancelIncompatibleOperations: boolean) =>
    installation.command('SetWarehouseMode', { mode, cancelIncompatibleOperations }, context());
  const recorded = (fact: string): Promise<string[]> =>
    eventually(facts, (found) => found.includes(fact));
  let holder: PoolClient;
  let changing: Promise<unknown>;

  beforeEach(async () => {
    holder = await installation.pool.connect();
    await holder.query(`BEGIN; LOCK TABLE ${schema}._profiles`);
    changing = change(textOf('email')).catch((error: unknown) => error);
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
    // The mode looks again after 200 ms whether the change has ended.
    const looks = new HeldTimers(200);
    let isAnswered = false;
    const set = setMode('Inspection', true).then(() => (isAnswered = true));
    try {
      await recorded('WarehouseModeChanged');
      for (let look = 0; look < 3; look += 1) {
        await eventually(() => looks.size > 0);
        looks.end();
      }
      expect(isAnswered).toBe(false);
    } finally {
      looks.release();
    }
    await holder.query('COMMIT');
    await set;
    expect(await latest()).toMatchObject({ error: null, endTime: expect.any(String) as string });
    expect(await changing).toMatchObject({ affectedPipelines: [] });
    await expect(change(textOf('phone'))).rejects.toEqual(refused('InspectionMode'));
  });
});

it('records primary sources, and marks what is to be computed again', async () => {
  const source: ConnectionId = await installation.source({}, context());
  const same = textOf('email', 'first_name', 'last_name');
  await change(same, {}, { email: source });
  const { rows } = await installation.pool.query<{ state: WarehouseState }>(
    'SELECT state FROM penstock.warehouses WHERE id = $1',
    [workspace],
  );
  expect(rows[0]?.state.profiles).toMatchObject({ version: 2, primarySources: { email: source } });
  await change(same);
  expect(await facts()).toEqual(['WarehouseCreated', 'Started', 'Ended', 'Started', 'Ended']);
});

// Where one call comes in between the steps of another is a matter of chance.
it.each(process.env['PENSTOCK_TEST_LONG'] === '1' ? [1, 2, 3, 4] : [1, 2])(
  'calls at the same time, %i: equal ones join, and every other waits for none',
  async () => {
    const one = textOf('email', 'a');
    const calls = [one, one, textOf('email', 'b'), one].map((text) => change(text));
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
  await run(`CREATE VIEW ${schema}.mine AS SELECT last_name FROM ${schema}.profiles`);
  await expect(change(textOf('email'))).rejects.toEqual(refused('InvalidWarehouseSettings'));
  expect(await latest()).toMatchObject({ error: expect.stringContaining('depend') as string });
  expect(await names()).toEqual(['email', 'first_name', 'last_name']);
  await run(`DROP VIEW ${schema}.mine`);
  await change(textOf('email'));
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
  return () => run('DROP TRIGGER refuse ON penstock.facts', 'DROP FUNCTION public.refuse');
};

it.each([
  ['the same call', () => change(textOf('email', 'phone'))],
  ['another call', () => change(textOf('email', 'first_name', 'phone'))],
  ['a repair', () => installation.command('RepairWarehouse', {}, context())],
])('a change that was committed and not recorded holds after %s', async (_, next) => {
  const allowEnds = await withoutEnds();
  await expect(change(textOf('email', 'phone'))).rejects.toThrow();
  expect(await columns()).toEqual(['email', 'phone']);
  expect(await names()).toEqual(['email', 'first_name', 'last_name']);
  await allowEnds();
  await next();
  expect(await names()).toEqual(await columns());
  expect((await facts()).slice(0, 3)).toEqual(['WarehouseCreated', 'Started', 'Ended']);
});

it('a change that was left before it was committed is interrupted, and can be made', async () => {
  await run(`CREATE VIEW ${schema}.mine AS SELECT last_name FROM ${schema}.profiles`);
  const allowEnds = await withoutEnds();
  await expect(change(textOf('email'))).rejects.toThrow();
  await allowEnds();
  await installation.command('RepairWarehouse', {}, context());
  expect(await latest()).toMatchObject({ error: 'interrupted' });
  await run(`DROP VIEW ${schema}.mine`);
  await change(textOf('email'));
  expect([await names(), await columns()]).toEqual([['email'], ['email']]);
});

it('a change that nobody asks about is ended by itself', async () => {
  const allowEnds = await withoutEnds();
  await expect(change(textOf('email', 'phone'))).rejects.toThrow();
  await allowEnds();
  // Younger than three seconds, it might be worked on.
  await run(
    `UPDATE penstock.warehouses
        SET state = jsonb_set(state::jsonb, '{profileChange,startedAt}', '"2026-01-01T00:00:00.000Z"')
      WHERE id = '${workspace}'`,
  );
  await eventually(latest, ({ endTime }) => endTime !== null);
  expect(await names()).toEqual(['email', 'phone']);
});
