import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  connectionView,
  type ConnectionState,
  type Instant,
  type PipelineState,
  pipelineView,
  TOPIC,
  workspaceView,
  type WorkspaceState,
} from '@penstock/contracts';
import { CreateAudit1700000000020, CreateEventStore1700000000000 } from '@penstock/event-sourcing';
import { DataSource } from 'typeorm';
import { verifyAudit } from '../audit/verify-audit';
import { CreateDataKeys1700000000040 } from '../data-keys/data-keys.migration';
import { connectDatabase } from '../database/database';
import { CreateViews1700000000001 } from '../read-model/views.migration';
import { CreateWarehouses1700000000030 } from '../read-model/warehouse.migration';
import { CreateWorkspaces1700000000010 } from '../read-model/workspace.migration';
import { CreateRetries1700000000011 } from '../retries/retries.migration';
import { Installation } from '../testing/installation.fixture';

jest.setTimeout(60_000);

interface Row<State> {
  readonly state: State;
}

/** Rows and records of an installation of version 0.1.0, from before facts were chained. This file never changes. */
interface Left {
  readonly tables: Readonly<Record<string, readonly object[]>> & {
    readonly facts: readonly { readonly time: Instant; readonly position: number }[];
    readonly workspaces: readonly Row<WorkspaceState>[];
    readonly connections: readonly Row<ConnectionState>[];
    readonly pipelines: readonly Row<PipelineState>[];
  };
  readonly topics: Readonly<Record<string, readonly { key: string; value: string | null }[]>>;
}

const left = JSON.parse(readFileSync(join(__dirname, 'installation-0.1.0.json'), 'utf8')) as Left;

const MIGRATIONS = [
  CreateEventStore1700000000000,
  CreateViews1700000000001,
  CreateWorkspaces1700000000010,
  CreateRetries1700000000011,
  CreateAudit1700000000020,
  CreateWarehouses1700000000030,
  CreateDataKeys1700000000040,
];

let installation: Installation;

/** The columns except those that the database computes. */
const columnsOf = async (database: DataSource, table: string): Promise<string> => {
  const [found] = await database.query<{ columns: string }[]>(
    `SELECT string_agg(column_name, ', ' ORDER BY ordinal_position) AS columns FROM information_schema.columns
     WHERE table_schema = 'penstock' AND table_name = $1 AND is_generated = 'NEVER'`,
    [table],
  );
  return found?.columns ?? '';
};

const restore = async (): Promise<void> => {
  const old = new DataSource({
    type: 'postgres',
    url: installation.databaseUrl,
    migrations: MIGRATIONS,
    schema: 'penstock',
    migrationsTableName: 'penstock_migrations',
  });
  await old.initialize();
  await old.query('DROP SCHEMA penstock CASCADE');
  await old.query('CREATE SCHEMA penstock');
  await old.runMigrations();
  await old.query('DELETE FROM penstock.head');
  for (const [table, rows] of Object.entries(left.tables)) {
    const columns = await columnsOf(old, table);
    await old.query(
      `INSERT INTO penstock.${table} (${columns})
       SELECT ${columns} FROM json_populate_recordset(NULL::penstock.${table}, $1::json)`,
      [JSON.stringify(rows)],
    );
  }
  await old.destroy();
  for (const topic of [TOPIC.configurationState, TOPIC.configuration])
    await installation.log.append(topic, left.topics[topic] ?? []);
};

beforeAll(async () => {
  installation = await Installation.open();
  await restore();
  await installation.start();
});

afterAll(() => installation.close());

const states = {
  connection: (id: string): ConnectionState => {
    const [found] = left.tables.connections.filter(({ state }) => state.id === id);
    if (found === undefined) throw new Error(`there is no connection ${id}`);
    return found.state;
  },
  viewOf: (state: ConnectionState) =>
    connectionView(
      state,
      left.tables.connections
        .filter(({ state: other }) => other.links.includes(state.id))
        .map(({ state: other }) => other.id)
        .sort(),
      left.tables.pipelines
        .filter(({ state: { connection } }) => connection === state.id)
        .map(({ state: { id } }) => id)
        .sort(),
    ),
};

it('returns all objects as before', async () => {
  expect(left.tables.connections.length).toBeGreaterThan(3);
  for (const { state } of left.tables.workspaces)
    expect(
      await installation.read(
        'GetWorkspace',
        { id: state.id },
        { organization: state.organization },
      ),
    ).toEqual(workspaceView(state));
  for (const { state } of left.tables.connections)
    expect(await installation.read('GetConnection', { id: state.id })).toEqual(
      states.viewOf(state),
    );
  for (const { state } of left.tables.pipelines)
    expect(await installation.read('GetPipeline', { id: state.id })).toEqual(
      pipelineView(state, states.connection(state.connection)),
    );
});

it('returns connections as of the time of its last fact', async () => {
  const at = left.tables.facts
    .map(({ time }) => time)
    .sort()
    .at(-1) as Instant;
  for (const { state } of left.tables.connections)
    expect(await installation.query('GetConnectionAsOf', { id: state.id, at })).toEqual(
      states.viewOf(state),
    );
});

it('can be changed, and is verified before and after', async () => {
  const database = await connectDatabase(installation.databaseUrl, () => undefined);
  const verified = () => verifyAudit(database, installation.log);
  try {
    const { position } = await verified();
    expect(position).toBeGreaterThanOrEqual(left.tables.facts.length);
    expect((await verified()).differences).toEqual([]);
    for (const { state } of left.tables.connections)
      await installation.command('UpdateConnection', { id: state.id, name: 'Changed' });
    for (const { state } of left.tables.pipelines)
      await installation.command('SetPipelineStatus', { id: state.id, enabled: !state.enabled });
    const after = await verified();
    expect(after.differences).toEqual([]);
    expect(after.position).toBe(
      position + left.tables.connections.length + left.tables.pipelines.length,
    );
  } finally {
    await database.destroy();
  }
});

it('opens its settings with its secret', async () => {
  for (const { state } of left.tables.connections)
    expect(JSON.parse(await installation.opened(state.settings, state.workspace))).toEqual(
      expect.any(Object),
    );
});
