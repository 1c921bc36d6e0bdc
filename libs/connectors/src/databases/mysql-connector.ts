import { checkMysqlSettings, mysqlDatabase, mysqlSettings } from '@penstock/databases';
import type { Connector } from '../connector/connector';
import { databaseRole } from './database-role';

/** Databases of MySQL, and of MariaDB. */
export const mysqlConnector: Connector = {
  code: 'mysql',
  label: 'MySQL',
  ...databaseRole('a MySQL or MariaDB database'),
  settings: mysqlSettings,
  checkSettings: checkMysqlSettings,
  database: mysqlDatabase,
};
