import {
  type ApiKeyId,
  type ConfigurationReplica,
  type NewApiKey,
  type OrganizationId,
  type WorkspaceId,
} from '@penstock/contracts';
import { newId } from '@penstock/runtime';
import { handleCommand, PostgresEventStore } from '@penstock/event-sourcing';
import { appendTo, load } from '../command-handling/decide-on';
import { openDatabase } from '../database/database';
import { workspaceDecider, workspaceStream } from '../domain/workspace.decide';
import { projectViews } from '../read-model/project-views';
import { Installation, SECRETS } from '../testing/installation.fixture';
import { aPipeline } from '../testing/pipeline.fixture';

jest.setTimeout(60_000);

const IS_LONG = process.env['PENSTOCK_TEST_LONG'] === '1';

let installation: Installation;
let organization: OrganizationId;
let workspace: WorkspaceId;

const open = async (): Promise<void> => {
  installation = await Installation.open();
  await installation.start();
  ({ organization, workspace } = await installation.founded());
};

const close = () => installation.close();

const PAGE = { limit: 100, cursor: '', within: null };

const made = async (name: string): Promise<WorkspaceId> => {
  const id = newId() as WorkspaceId;
  const command = { id, name, warehouse: installation.newWarehouse(id) };
  const reply = await installation.command('CreateWorkspace', command, { organization });
  expect(reply).toEqual({ id });
  return id;
};

const list = (wanted: object = {}, of = organization) =>
  installation.read('ListWorkspaces', { ...PAGE, ...wanted }, { organization: of });

const get = (id: WorkspaceId, of = organization) =>
  installation.read('GetWorkspace', { id }, { organization: of });

const aKey = (of: WorkspaceId | null): NewApiKey => {
  const id = newId() as ApiKeyId;
  return { id, name: 'CI', scope: 'admin', workspace: of, hash: id, hint: 'pk_a', expiresAt: null };
};

const hashesOf = async (replica: ConfigurationReplica, keys: readonly NewApiKey[]) => {
  await replica.waitFor(await installation.newest());
  return keys.map(({ hash }) => replica.apiKey(hash) !== undefined);
};

const aWorkspaceId = (): WorkspaceId => newId() as WorkspaceId;

/** A name with which a workspace is refused after its warehouse was initialised. */
const TOO_LONG = 'x'.repeat(990_001);

const markerIn = async (schema: string): Promise<unknown> => {
  const { rows } = await installation.pool.query<{ meta: string | null }>(
    'SELECT to_regclass($1) AS meta',
    [`${schema}._meta`],
  );
  if (rows[0]?.meta === null) return undefined;
  return (await installation.pool.query(`SELECT workspace FROM ${schema}._meta`)).rows;
};

describe('in an installation of its own, a workspace', () => {
  beforeEach(open);
  afterEach(close);

  it('is listed in pages, newest first, and alone for a key of its own', async () => {
    const [second, third] = [await made('Second'), await made('Third')];
    const page = await list({ limit: 2 });
    expect(page).toEqual({
      workspaces: [
        { id: third, version: 1, name: 'Third' },
        { id: second, version: 1, name: 'Second' },
      ],
      cursor: second,
    });
    expect(await list({ limit: 2, cursor: second })).toEqual({
      workspaces: [{ id: workspace, version: 1, name: 'Default' }],
      cursor: '',
    });
    expect((await list({ within: second })).workspaces).toMatchObject([{ id: second }]);
    expect((await list({}, 'another-one' as OrganizationId)).workspaces).toEqual([]);
    await expect(list({ cursor: '?' })).rejects.toMatchObject({ code: 'BadRequest' });
  });

  it('is renamed at the expected version', async () => {
    const rename = (name: string, context: object = {}) =>
      installation.command(
        'RenameWorkspace',
        { id: workspace, name },
        { organization, ...context },
      );
    await rename('Shop');
    await expect(rename('Blog', { expectedVersion: 1 })).rejects.toMatchObject({
      code: 'Conflict',
    });
    await rename('Blog', { expectedVersion: 2 });
    expect(await get(workspace)).toEqual({ id: workspace, version: 3, name: 'Blog' });
    await expect(
      rename('Mine', { organization: 'another-one' as OrganizationId }),
    ).rejects.toMatchObject({ code: 'WorkspaceNotExist' });
  });

  it('is deleted with its connections and pipelines, also those that are being created', async () => {
    const context = { organization, workspace };
    const replica = await installation.follow();
    const destination = await installation.destination({}, context);
    const source = await installation.source({ linkedConnections: [destination] }, context);
    const pipeline = aPipeline(destination);
    await installation.command('CreatePipeline', pipeline, context);
    const tries = Array.from({ length: 10 }, () => installation.source({}, context));
    const deleted = installation.recorded('DeleteWorkspace', { id: workspace }, context);
    const settled = await Promise.allSettled(tries);
    for (const each of settled)
      if (each.status === 'rejected')
        expect(each.reason).toMatchObject({ code: 'WorkspaceNotExist' });
    await replica.waitFor((await deleted).position);

    expect(replica.workspace(workspace)).toBeUndefined();
    expect(replica.connectionsOf(workspace)).toEqual([]);
    expect(replica.connectionEver(source)).toMatchObject({
      deleted: true,
      links: [],
      writeKeys: [],
    });
    expect(replica.pipeline(pipeline.id)).toBeUndefined();
    expect(replica.pipelineHead(pipeline.id)).toMatchObject({ deleted: true });
    for (const table of ['connections', 'pipelines', 'links'])
      expect((await installation.pool.query(`SELECT FROM penstock.${table}`)).rows).toEqual([]);
    await expect(installation.source({}, context)).rejects.toMatchObject({
      code: 'WorkspaceNotExist',
    });
    await expect(get(workspace)).rejects.toMatchObject({ code: 'WorkspaceNotExist' });
    expect((await list()).workspaces).toEqual([]);
  });

  it('has its keys revoked on deletion, and no others', async () => {
    const replica = await installation.follow();
    const other = await made('Blog');
    const keys = [aKey(workspace), aKey(workspace), aKey(other), aKey(null)];
    for (const key of keys) await installation.command('CreateApiKey', key, { organization });
    expect(await hashesOf(replica, keys)).toEqual([true, true, true, true]);
    const { position } = await installation.recorded(
      'DeleteWorkspace',
      { id: workspace },
      { organization },
    );
    await replica.waitFor(position);
    expect(keys.map(({ hash }) => replica.apiKey(hash) !== undefined)).toEqual([
      false,
      false,
      true,
      true,
    ]);
    const { keys: shown } = await installation.read('ListApiKeys', PAGE, { organization });
    expect(shown.map(({ workspace: of }) => of).sort()).toEqual([other, null, null]);
  });

  it('leaves no key behind that was created at the same time', async () => {
    const replica = await installation.follow();
    const keys: NewApiKey[] = [];
    for (let round = 0; round < (IS_LONG ? 12 : 4); round += 1) {
      const id = await made(`Round ${String(round)}`);
      const key = aKey(id);
      const deleting = installation.command('DeleteWorkspace', { id }, { organization });
      const making = installation
        .command('CreateApiKey', key, { organization })
        .then(() => keys.push(key))
        .catch(() => undefined);
      await Promise.all([deleting, making]);
    }
    expect(await hashesOf(replica, keys)).toEqual(keys.map(() => false));
  });

  it('has its keys revoked by the next start when an older version deleted it without', async () => {
    const keys = [aKey(workspace), aKey(null)];
    for (const key of keys) await installation.command('CreateApiKey', key, { organization });
    const database = await openDatabase(installation.databaseUrl, () => undefined);
    const { commandId, actor, requestId } = installation.context();
    const store = new PostgresEventStore(database.manager);
    await handleCommand(store, { commandId, actor, requestId }, projectViews, async (reading) => {
      const own = await load(reading, workspaceDecider, workspaceStream(workspace));
      const facts = workspaceDecider.decide({ type: 'DeleteWorkspace' }, own.state);
      return { streams: [appendTo(own, facts)], reply: {} };
    });
    await database.destroy();
    const names = async () =>
      (await installation.read('ListApiKeys', PAGE, { organization })).keys.length;
    expect(await names()).toBe(3);
    await installation.start();
    expect(await names()).toBe(2);
  });

  it('leaves no key behind that was being created', async () => {
    const keys = Array.from({ length: 10 }, () => aKey(workspace));
    const tries = keys.map((key) => installation.command('CreateApiKey', key, { organization }));
    await installation.command('DeleteWorkspace', { id: workspace }, { organization });
    for (const each of await Promise.allSettled(tries))
      if (each.status === 'rejected')
        expect(each.reason).toMatchObject({ code: 'WorkspaceNotExist' });
    const { keys: shown } = await installation.read('ListApiKeys', PAGE, { organization });
    expect(shown.map(({ name }) => name)).toEqual(['bootstrap']);
  });
});

describe('a workspace', () => {
  beforeAll(open);
  afterAll(close);

  it('is created with a warehouse of its own, and visible to its organization only', async () => {
    const id = await made('Shop');
    expect(await get(id)).toEqual({ id, version: 1, name: 'Shop' });
    expect(
      await installation.read('GetWarehouse', {}, { organization, workspace: id }),
    ).toMatchObject({ platform: 'PostgreSQL', mode: 'Normal' });
    await expect(get(id, 'another-one' as OrganizationId)).rejects.toMatchObject({
      code: 'WorkspaceNotExist',
    });
  });

  it('is not created with settings of no warehouse, or of the warehouse of another workspace', async () => {
    const id = await made('Shop');
    const other = newId() as WorkspaceId;
    const foreign = JSON.parse(
      await installation.opened(installation.newWarehouse(id).settings, id),
    ) as object;
    const create = (settings: object) =>
      installation.command(
        'CreateWorkspace',
        {
          id: other,
          name: 'Blog',
          warehouse: {
            platform: 'PostgreSQL',
            settings: installation.sealed(settings, other),
            mcpSettings: null,
          },
        },
        { organization },
      );
    await expect(create(foreign)).rejects.toMatchObject({
      code: 'InvalidWarehouseSettings',
      details: [{ path: '/warehouse/settings' }],
    });
    await expect(create({ ...foreign, port: 'x' })).rejects.toMatchObject({
      code: 'BadRequest',
      details: [{ path: '/warehouse/settings/port' }],
    });
    await expect(get(other)).rejects.toMatchObject({ code: 'WorkspaceNotExist' });
  });

  describe('a refused creation', () => {
    const createIn = (schema: string, name: string, context: object = {}, id = aWorkspaceId()) => {
      const { settings } = installation.newWarehouse(id);
      const plain = JSON.parse(SECRETS.open(settings, id)) as object;
      const sealed = installation.sealed({ ...plain, schema }, id);
      const warehouse = { platform: 'PostgreSQL', settings: sealed, mcpSettings: null };
      return installation.command(
        'CreateWorkspace',
        { id, name, warehouse },
        { organization, ...context },
      );
    };
    const refused = { code: 'BadRequest' };

    it('leaves an empty schema empty, also when the command is repeated', async () => {
      const context = { commandId: 'the-same' };
      for (const _ of [1, 2]) {
        await expect(createIn('elsewhere', TOO_LONG, context)).rejects.toMatchObject(refused);
        expect(await markerIn('elsewhere')).toBeUndefined();
      }
      const { id } = await createIn('elsewhere', 'Shop');
      expect(await markerIn('elsewhere')).toEqual([{ workspace: id }]);
    });

    it('leaves an empty schema empty when it cannot be recorded, so that it can be tried again', async () => {
      await installation.pool.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no space is left'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON penstock.facts FOR EACH ROW EXECUTE FUNCTION refuse()`);
      await expect(createIn('unrecorded', 'Shop')).rejects.toThrow();
      expect(await markerIn('unrecorded')).toBeUndefined();
      await installation.pool.query('DROP TRIGGER refuse ON penstock.facts; DROP FUNCTION refuse');
      const { id } = await createIn('unrecorded', 'Shop');
      expect(await markerIn('unrecorded')).toEqual([{ workspace: id }]);
    });

    /** Leaves what a process leaves that ends before it has recorded a workspace. */
    const leave = async (schema: string, commandId: string): Promise<void> => {
      const id = newId() as WorkspaceId;
      await createIn(schema, 'Shop', { commandId });
      await installation.pool.query(`UPDATE ${schema}._meta SET workspace = $1`, [id]);
      await installation.pool.query(
        'INSERT INTO penstock.begun_workspaces (id, organization, command_id) VALUES ($1, $2, $3)',
        [id, organization, commandId],
      );
      await installation.pool.query('DELETE FROM penstock.replies WHERE command_id = $1', [
        commandId,
      ]);
    };

    it('takes the warehouse over that an earlier try of it has left, and none of another one', async () => {
      const commandId = 'tried-again';
      await leave('abandoned', commandId);
      const other = { code: 'InvalidWarehouseSettings' };
      await expect(createIn('abandoned', 'Shop')).rejects.toMatchObject(other);
      const { id } = await createIn('abandoned', 'Shop', { commandId });
      expect(await markerIn('abandoned')).toEqual([{ workspace: id }]);
      await expect(createIn('abandoned', 'Blog')).rejects.toMatchObject(other);
    });

    it('takes a warehouse over that another command has left an hour ago', async () => {
      await leave('forgotten', 'long-ago');
      await installation.pool.query(
        `UPDATE penstock.begun_workspaces SET begun_at = begun_at - interval '61 minutes'`,
      );
      const { id } = await createIn('forgotten', 'Shop');
      expect(await markerIn('forgotten')).toEqual([{ workspace: id }]);
    });

    it('takes no warehouse over from a workspace that is there, though its request came twice', async () => {
      const commandId = 'came-twice';
      const { id } = await createIn('owned', 'Shop', { commandId });
      await installation.pool.query(
        `INSERT INTO penstock.begun_workspaces (id, organization, command_id, begun_at)
       VALUES ($1, $2, $3, now() - interval '61 minutes')`,
        [id, organization, commandId],
      );
      const other = { code: 'InvalidWarehouseSettings' };
      await expect(createIn('owned', 'Blog')).rejects.toMatchObject(other);
      expect(await markerIn('owned')).toEqual([{ workspace: id }]);
    });

    it('is not recorded once it was given up', async () => {
      await installation.pool.query(`
      CREATE FUNCTION give_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.given_up = true; RETURN NEW; END $$;
      CREATE TRIGGER give_up BEFORE INSERT ON penstock.begun_workspaces FOR EACH ROW EXECUTE FUNCTION give_up()`);
      const before = (await list()).workspaces;
      const unavailable = { code: 'ServiceUnavailable' };
      await expect(createIn('contested', 'Shop')).rejects.toMatchObject(unavailable);
      await installation.pool.query(
        'DROP TRIGGER give_up ON penstock.begun_workspaces; DROP FUNCTION give_up',
      );
      expect((await list()).workspaces).toEqual(before);
    });

    it('leaves nothing behind of what was begun, whether it is made, refused or tried', async () => {
      const { rows: before } = await installation.pool.query<{ id: string }>(
        'SELECT id FROM penstock.begun_workspaces',
      );
      await createIn('begun', 'Shop', { isDryRun: true });
      await createIn('begun', 'Shop', { commandId: 'once' });
      await createIn('begun', 'Shop', { commandId: 'once' });
      await expect(createIn('begun', 'Blog')).rejects.toThrow();
      await expect(createIn('begun_too', TOO_LONG)).rejects.toMatchObject(refused);
      const id = aWorkspaceId();
      await createIn('received_twice', 'Shop', { commandId: 'twice' }, id);
      await createIn('received_twice', 'Shop', { commandId: 'twice' }, id);
      const { rows } = await installation.pool.query(
        'SELECT id FROM penstock.begun_workspaces WHERE NOT id = ANY ($1)',
        [before.map((row) => row.id)],
      );
      expect(rows).toEqual([]);
    });

    it('leaves a warehouse that was freed to its former owner', async () => {
      const { id } = await createIn('freed', 'Shop');
      await installation.command('DeleteWorkspace', { id }, { organization });
      await expect(createIn('freed', TOO_LONG)).rejects.toMatchObject(refused);
      expect(await markerIn('freed')).toEqual([{ workspace: id }]);
      const next = await createIn('freed', 'Blog');
      expect(await markerIn('freed')).toEqual([{ workspace: next.id }]);
    });
  });

  it('frees its warehouse on deletion, which another workspace can take over then', async () => {
    const first = await made('Shop');
    const settings = JSON.parse(
      await installation.opened(installation.newWarehouse(first).settings, first),
    ) as object;
    const connect = async (isDryRun = false): Promise<WorkspaceId> => {
      const id = newId() as WorkspaceId;
      const sealed = installation.sealed(settings, id);
      const warehouse = { platform: 'PostgreSQL', settings: sealed, mcpSettings: null };
      const command = { id, name: 'Next', warehouse };
      await installation.command('CreateWorkspace', command, { organization, isDryRun });
      return id;
    };
    const marker = async (): Promise<unknown> =>
      (await installation.pool.query(`SELECT workspace FROM warehouse_${first}._meta`)).rows;
    const refused = { code: 'InvalidWarehouseSettings' };
    await expect(connect()).rejects.toMatchObject(refused);
    await installation.command('DeleteWorkspace', { id: first }, { organization });
    await connect(true);
    expect(await marker()).toEqual([{ workspace: first }]);
    const second = await connect();
    expect(await marker()).toEqual([{ workspace: second }]);
    await expect(connect()).rejects.toMatchObject(refused);
  });
});
