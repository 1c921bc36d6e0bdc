import {
  checkPostgresqlSettings,
  postgresqlDatabase,
  postgresqlSettings,
} from '@penstock/databases';
import type { Connector } from '../connector/connector';
import { databaseRole } from './database-role';

/** Databases of PostgreSQL 13 and later. */
export const postgresqlConnector: Connector = {
  code: 'postgresql',
  label: 'PostgreSQL',
  ...databaseRole('a PostgreSQL database'),
  settings: postgresqlSettings,
  checkSettings: checkPostgresqlSettings,
  database: postgresqlDatabase,
};
