import {
  checkClickhouseSettings,
  clickhouseDatabase,
  clickhouseSettings,
} from '@penstock/databases';
import type { Connector } from '../connector/connector';
import { databaseRole } from './database-role';

/** Databases of ClickHouse. */
export const clickhouseConnector: Connector = {
  code: 'clickhouse',
  label: 'ClickHouse',
  ...databaseRole('a ClickHouse database'),
  settings: clickhouseSettings,
  checkSettings: checkClickhouseSettings,
  database: clickhouseDatabase,
};
