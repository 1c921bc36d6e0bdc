import {
  CreateAudit1700000000020,
  CreateChain1700000000050,
  CreateEventStore1700000000000,
  FactRow,
  IndexAuditSearch1700000000083,
  ReplyRow,
} from '@penstock/event-sourcing';
import { ADVISORY_LOCK } from '@penstock/contracts';
import { limitQueries } from '@penstock/messaging';
import { Client, type ClientConfig } from 'pg';
import { DataSource } from 'typeorm';
import { CreateAlerts1700000000072 } from '../read-model/alert.migration';
import { AlertRow } from '../read-model/alert.row';
import { CreateAsOf1700000000051 } from '../read-model/as-of.migration';
import { DataKeyRow } from '../data-keys/data-key.row';
import { CreateDataKeys1700000000040 } from '../data-keys/data-keys.migration';
import { ConnectionRow, LinkRow, PipelineRow } from '../read-model/views';
import { AddExportedFormats1700000000082 } from '../read-model/exported-formats.migration';
import { CreateFormats1700000000071 } from '../read-model/formats.migration';
import { CreateViews1700000000001 } from '../read-model/views.migration';
import { CreateWarehouses1700000000030 } from '../read-model/warehouse.migration';
import { WarehouseRow } from '../read-model/warehouse.row';
import { CreateWorkspaces1700000000010 } from '../read-model/workspace.migration';
import { WorkspaceRow } from '../read-model/workspace.row';
import { CreateForgetting1700000000060 } from '../relay/forgetting.migration';
import { ResolutionRow } from '../read-model/resolution.row';
import { CreateResolutions1700000000081 } from '../read-model/resolutions.migration';
import { RunControlRow } from '../read-model/run-control.row';
import { IndexProfileChanges1700000000080 } from '../read-model/profile-changes.migration';
import { CreateRunControls1700000000070 } from '../read-model/run-controls.migration';
import { CreateRetries1700000000011 } from '../retries/retries.migration';
import { CreateBegunWorkspaces1700000000084 } from '../read-model/begun-workspaces.migration';

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_MS = 20_000;

/**
 * A session whose statements have a time limit. A session that is lost between two statements emits an error event,
 * which ends the process without a listener; TypeORM adds its own a moment too late.
 */
class LimitedClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    this.on('error', () => undefined);
    limitQueries(this, STATEMENT_MS);
  }
}

const DEFAULT_CONNECTIONS = 12;

/**
 * Enough connections for appends, which wait for each other while they hold one, and for queries. No wait is longer
 * than a request, and a process that hangs in a transaction blocks the others for ten seconds at most.
 */
const POOL = {
  Client: LimitedClient,
  keepAlive: true,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 10_000,
};

/**
 * Processes that start at once migrate one after the other: the lock is released with its session, however that ends.
 */
const oneAtATime = async (url: string, work: () => Promise<unknown>): Promise<void> => {
  const session = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  let broken: Error | undefined;
  session.on('error', (error) => (broken = error));
  await session.connect();
  try {
    await session.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK.migratePipelineService]);
    await session.query('CREATE SCHEMA IF NOT EXISTS penstock');
    await work();
    if (broken !== undefined) throw broken;
  } finally {
    await session.end().catch(() => undefined);
  }
};

/** Statements of migrations have no time limit: what they change grows with the history. */
const MIGRATION_POOL = { max: 1, keepAlive: true, connectionTimeoutMillis: CONNECT_TIMEOUT_MS };

const connect = (
  url: string,
  onConnectionLost: (error: unknown) => void,
  pool: object,
): Promise<DataSource> =>
  new DataSource({
    type: 'postgres',
    url,
    applicationName: 'penstock-pipeline-service',
    entities: [
      FactRow,
      ReplyRow,
      WorkspaceRow,
      ConnectionRow,
      LinkRow,
      PipelineRow,
      WarehouseRow,
      RunControlRow,
      ResolutionRow,
      DataKeyRow,
      AlertRow,
    ],
    migrations: [
      CreateEventStore1700000000000,
      CreateViews1700000000001,
      CreateWorkspaces1700000000010,
      CreateRetries1700000000011,
      CreateAudit1700000000020,
      CreateWarehouses1700000000030,
      CreateDataKeys1700000000040,
      CreateChain1700000000050,
      CreateAsOf1700000000051,
      CreateForgetting1700000000060,
      CreateRunControls1700000000070,
      CreateFormats1700000000071,
      CreateAlerts1700000000072,
      IndexProfileChanges1700000000080,
      CreateResolutions1700000000081,
      AddExportedFormats1700000000082,
      IndexAuditSearch1700000000083,
      CreateBegunWorkspaces1700000000084,
    ],
    // Explicit, since a search path that begins with the user's own schema changes once that schema exists.
    schema: 'penstock',
    migrationsTableName: 'penstock_migrations',
    poolErrorHandler: onConnectionLost,
    extra: pool,
  }).initialize();

/** Connects to the database as it is. Lost connections are replaced; statements under way on them are rejected. */
export const connectDatabase = (
  url: string,
  onConnectionLost: (error: unknown) => void,
  connections = DEFAULT_CONNECTIONS,
): Promise<DataSource> => connect(url, onConnectionLost, { ...POOL, max: connections });

const migrate = async (url: string): Promise<void> => {
  const database = await connect(url, () => undefined, MIGRATION_POOL);
  try {
    await database.runMigrations({ transaction: 'all' });
  } finally {
    await database.destroy();
  }
};

/** Runs all migrations and connects. @param connections most of them that are open at once. */
export const openDatabase = async (
  url: string,
  onConnectionLost: (error: unknown) => void,
  connections?: number,
): Promise<DataSource> => {
  await oneAtATime(url, () => migrate(url));
  return connectDatabase(url, onConnectionLost, connections);
};
