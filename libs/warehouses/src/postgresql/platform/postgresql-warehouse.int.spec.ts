import { FIRST_PROFILE_SCHEMA, type WorkspaceId } from '@penstock/contracts';
import type { Warehouse } from '../../platform/warehouse';
import { LAYOUT } from '../layout/marker';
import { SCHEMA, Stage } from '../stage.fixture';

jest.setTimeout(60_000);

const MINE = 'workspace0000001' as WorkspaceId;
const OTHER = 'workspace0000002' as WorkspaceId;

let stage: Stage;
let loader: string;

beforeEach(async () => {
  stage = await Stage.open();
  loader = await stage.loader();
});

afterEach(() => stage.close());

const owner = (warehouse: Warehouse) => warehouse.owner();
const access = (warehouse: Warehouse) => warehouse.checkAccess();
const initialise = (workspace: WorkspaceId) => (warehouse: Warehouse) =>
  warehouse.initialise(workspace);
const repair = (workspace: WorkspaceId) => (warehouse: Warehouse) =>
  warehouse.repair(workspace, FIRST_PROFILE_SCHEMA);
const meta = () => stage.rows(`SELECT * FROM ${SCHEMA}._meta`);

describe('access', () => {
  const denied = (message: string) => ({
    kind: 'unusable',
    message: expect.stringContaining(message) as string,
  });

  it('is given to the owner of the schema, before and after it is initialised', async () => {
    await expect(stage.as(loader, access)).resolves.toBeUndefined();
    await stage.as(loader, initialise(MINE));
    await expect(stage.as(loader, access)).resolves.toBeUndefined();
  });

  it.each([
    ['to a schema that is none', [], 'schema does not exist', { schema: 'nowhere' }],
    ['without USAGE', [], 'USAGE is missing', {}],
    ['without CREATE', ['GRANT USAGE ON SCHEMA warehouse TO'], 'CREATE is missing', {}],
    [
      'without a right on a table',
      [
        'GRANT ALL ON SCHEMA warehouse TO',
        'GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA warehouse TO',
      ],
      'DELETE on _dirty',
      {},
    ],
  ])('is denied %s', async (_, grants, message, changes) => {
    await stage.as(loader, initialise(MINE));
    const other = await stage.role();
    await stage.run(...grants.map((grant) => `${grant} ${other}`));
    await expect(stage.as(other, access, changes)).rejects.toMatchObject(denied(message));
  });

  it('to read needs USAGE only', async () => {
    const reader = await stage.role();
    const reading = (warehouse: Warehouse) => warehouse.checkReading();
    await expect(stage.as(reader, reading)).rejects.toMatchObject(denied('USAGE is missing'));
    await stage.run(`GRANT USAGE ON SCHEMA ${SCHEMA} TO ${reader}`);
    await expect(stage.as(reader, reading)).resolves.toBeUndefined();
  });
});

describe('the marker', () => {
  it('reports the owner of the warehouse', async () => {
    expect(await stage.as(loader, owner)).toBeUndefined();
    await stage.as(loader, initialise(MINE));
    expect(await stage.as(loader, owner)).toBe(MINE);
    expect(await meta()).toEqual([
      {
        workspace: MINE,
        warehouse: expect.any(String) as string,
        layout: LAYOUT,
        created_at: expect.any(Date) as Date,
        schema_version: 1,
      },
    ]);
  });

  it('is none in a table of somebody else', async () => {
    await stage.run(
      `CREATE TABLE ${SCHEMA}._meta (key text)`,
      `ALTER TABLE ${SCHEMA}._meta OWNER TO ${loader}`,
    );
    expect(await stage.as(loader, owner)).toBeUndefined();
  });

  it('cannot be read without the right to', async () => {
    await stage.as(loader, initialise(MINE));
    const reader = await stage.role();
    await stage.run(`GRANT USAGE ON SCHEMA ${SCHEMA} TO ${reader}`);
    await expect(stage.as(reader, owner)).rejects.toMatchObject({
      kind: 'unusable',
      message: 'permission denied for table _meta',
    });
  });
});

describe('initialising', () => {
  it('once more is as once', async () => {
    await stage.as(loader, initialise(MINE));
    const before = await meta();
    await stage.as(loader, initialise(MINE));
    expect(await meta()).toEqual(before);
  });

  it('is tried: refused as it would be, and nothing is left', async () => {
    const trial = (warehouse: Warehouse) => warehouse.initialise(MINE, { isDryRun: true });
    await stage.as(loader, trial);
    expect(await stage.as(loader, owner)).toBeUndefined();
    await stage.as(loader, initialise(OTHER));
    await expect(stage.as(loader, trial)).rejects.toMatchObject({ kind: 'unusable' });
  });

  it('by several at once is as once', async () => {
    await Promise.all([1, 2, 3, 4].map(() => stage.as(loader, initialise(MINE))));
    expect(await meta()).toHaveLength(1);
  });

  it('passes on what another workspace has freed, with what is in it', async () => {
    await stage.as(loader, initialise(OTHER));
    await stage.run(`CREATE TABLE ${SCHEMA}.t ()`);
    const before = await meta();
    const owners: string[] = [];
    const take = (isFreed: boolean) => (warehouse: Warehouse) =>
      warehouse.initialise(MINE, {
        isFreed: (present) => {
          owners.push(present);
          return Promise.resolve(isFreed);
        },
      });
    await expect(stage.as(loader, take(false))).rejects.toMatchObject({ kind: 'unusable' });
    expect(await meta()).toEqual(before);
    await stage.as(loader, take(true));
    expect(await meta()).toEqual([{ ...(before[0] as object), workspace: MINE }]);
    expect(owners).toEqual([OTHER, OTHER]);
  });

  it('makes a schema that is missing, where the user may', async () => {
    const schema = 'another "one"';
    const denied = stage.as(loader, initialise(MINE), { schema });
    await expect(denied).rejects.toMatchObject({ kind: 'unusable' });
    const [{ name } = { name: '' }] = (await stage.rows('SELECT current_database() AS name')) as {
      name: string;
    }[];
    await stage.run(`GRANT CREATE ON DATABASE ${name} TO ${loader}`);
    await stage.as(loader, initialise(MINE), { schema });
    expect(await stage.as(loader, owner, { schema })).toBe(MINE);
  });

  it.each([
    ['a table', 'CREATE TABLE warehouse.t ()', 1],
    [
      'a view and a type',
      'CREATE VIEW warehouse.v AS SELECT 1 AS n; CREATE TYPE warehouse.e AS ENUM ()',
      2,
    ],
    ['a function', "CREATE FUNCTION warehouse.f() RETURNS int LANGUAGE sql AS 'SELECT 1'", 1],
    ['the marker of another workspace', undefined, 23],
  ])('leaves a schema with %s alone', async (_, statement, count) => {
    if (statement === undefined) await stage.as(loader, initialise(OTHER));
    else await stage.run(statement);
    await expect(stage.as(loader, initialise(MINE))).rejects.toMatchObject({
      kind: 'unusable',
      message: `schema is not empty: it holds ${String(count)} objects`,
    });
    expect(await stage.as(loader, owner)).toBe(statement === undefined ? OTHER : undefined);
  });
});

describe('releasing', () => {
  const initialised = (workspace: WorkspaceId, isFreed = false) =>
    stage.as(loader, (warehouse) =>
      warehouse.initialise(workspace, { isFreed: () => Promise.resolve(isFreed) }),
    );
  const release = (workspace: WorkspaceId, formerOwner?: WorkspaceId) =>
    stage.as(loader, (warehouse) => warehouse.release(workspace, { formerOwner }));

  it('empties a schema that was empty, for any other workspace', async () => {
    expect(await initialised(MINE)).toEqual({ formerOwner: undefined });
    expect(await initialised(MINE)).toBeUndefined();
    await release(MINE);
    expect(await initialised(OTHER)).toEqual({ formerOwner: undefined });
  });

  it('gives a warehouse back to the workspace that had freed it', async () => {
    await initialised(OTHER);
    const before = await meta();
    expect(await initialised(MINE, true)).toEqual({ formerOwner: OTHER });
    await release(MINE, OTHER);
    expect(await meta()).toEqual(before);
  });

  it('does not touch the warehouse of another workspace', async () => {
    await initialised(OTHER);
    await release(MINE);
    await release(MINE, MINE);
    expect(await stage.as(loader, owner)).toBe(OTHER);
  });

  it('follows no dry run', async () => {
    const dryRun = (warehouse: Warehouse) => warehouse.initialise(MINE, { isDryRun: true });
    expect(await stage.as(loader, dryRun)).toBeUndefined();
  });
});

describe('a repair', () => {
  it('of a healthy warehouse changes nothing', async () => {
    await stage.as(loader, initialise(MINE));
    const before = await meta();
    expect(await stage.as(loader, repair(MINE))).toEqual([]);
    expect(await meta()).toEqual(before);
  });

  it.each([
    ['the row', `DELETE FROM ${SCHEMA}._meta`, ['marker']],
    ['the table', `DROP TABLE ${SCHEMA}._meta`, ['_meta', 'marker']],
  ])('makes %s anew', async (_, statement, made) => {
    await stage.as(loader, initialise(MINE));
    await stage.run(statement);
    expect(await stage.as(loader, repair(MINE))).toEqual(made);
    expect(await stage.as(loader, owner)).toBe(MINE);
  });

  it('makes the schema anew, where the user may', async () => {
    await stage.as(loader, initialise(MINE));
    await stage.run(`DROP SCHEMA ${SCHEMA} CASCADE`);
    await expect(stage.as(loader, repair(MINE))).rejects.toMatchObject({ kind: 'unusable' });
    const boss = await stage.role('SUPERUSER');
    const made = await stage.as(boss, repair(MINE));
    expect(made.slice(0, 3)).toEqual([SCHEMA, '_meta', 'marker']);
    expect(made).toEqual(expect.arrayContaining(['_events', '_identities', '_seen', 'profiles']));
  });

  it('does not touch the warehouse of another workspace', async () => {
    await stage.as(loader, initialise(OTHER));
    await expect(stage.as(loader, repair(MINE))).rejects.toMatchObject({ kind: 'foreign' });
    expect(await stage.as(loader, owner)).toBe(OTHER);
  });

  it('does not begin while another one of the same schema is being done', async () => {
    await stage.as(loader, initialise(MINE));
    await stage.run(
      'BEGIN',
      `SELECT pg_advisory_xact_lock(hashtextextended('penstock warehouse ${SCHEMA}', 0))`,
    );
    await expect(stage.as(loader, repair(MINE))).rejects.toMatchObject({ kind: 'busy' });
    await stage.run('COMMIT');
    expect(await stage.as(loader, repair(MINE))).toEqual([]);
  });
});
