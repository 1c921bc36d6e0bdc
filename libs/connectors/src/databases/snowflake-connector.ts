import { checkSnowflakeSettings, snowflakeDatabase, snowflakeSettings } from '@penstock/databases';
import type { Connector } from '../connector/connector';
import { databaseRole } from './database-role';

/** Databases of Snowflake, whose driver is installed by whoever wants it. */
export const snowflakeConnector: Connector = {
  code: 'snowflake',
  label: 'Snowflake',
  ...databaseRole('a Snowflake database'),
  settings: snowflakeSettings,
  checkSettings: checkSnowflakeSettings,
  database: snowflakeDatabase,
};
