import { CreateEventStore1700000000000, FactRow, ReplyRow } from '@penstock/event-sourcing';
import { DataSource } from 'typeorm';
import { ConnectionRow, LinkRow, PipelineRow } from './views';
import { CreateViews1700000000001 } from './views.migration';

/** Any number that nothing else in the database locks. */
const MIGRATION_LOCK = 7_300_103;
const POOL_SIZE = 12;

/** Connected, with all migrations run; replicas that start at once wait for each other. */
export const openDatabase = async (url: string): Promise<DataSource> => {
  const database = new DataSource({
    type: 'postgres',
    url,
    entities: [FactRow, ReplyRow, ConnectionRow, LinkRow, PipelineRow],
    migrations: [CreateEventStore1700000000000, CreateViews1700000000001],
    migrationsTableName: 'penstock_migrations',
    extra: { max: POOL_SIZE, keepAlive: true },
  });
  await database.initialize();
  const lock = database.createQueryRunner();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await database.runMigrations({ transaction: 'all' });
  } finally {
    await lock.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    await lock.release();
  }
  return database;
};
