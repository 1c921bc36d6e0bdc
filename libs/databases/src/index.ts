export type {
  Database,
  DatabaseCall,
  DatabaseColumns,
  DatabaseQuery,
  DatabaseRecord,
  DatabaseRows,
  PlaceholderValues,
  TableColumns,
} from './database/database';
export { DatabaseFault, type DatabaseFaultKind } from './database/database-fault';
export {
  connectPostgresql,
  postgresqlClientConfig,
  type PostgresqlCall,
  type OpenedPostgresql,
} from './postgresql/connect';
export { postgresqlFaultOf } from './postgresql/postgresql-fault';
export {
  checkPostgresqlSettings,
  postgresqlSettings,
  postgresqlTargetOf,
  type PostgresqlTarget,
  type SslMode,
} from './postgresql/postgresql-settings';
export { postgresqlDatabase } from './postgresql/postgresql-database';
export type { RefusedRow, RowMerge, RowMerger } from './database/row-merger';
export { clickhouseDatabase } from './clickhouse/clickhouse-database';
export {
  checkClickhouseSettings,
  type ClickhouseTarget,
  clickhouseSettings,
  clickhouseTargetOf,
} from './clickhouse/clickhouse-settings';
export { mysqlDatabase } from './mysql/mysql-database';
export {
  checkMysqlSettings,
  mysqlSettings,
  mysqlTargetOf,
  type MysqlTarget,
  type MysqlTls,
} from './mysql/mysql-settings';
export { snowflakeDatabase } from './snowflake/snowflake-database';
export { type BoundRow, boundParts } from './snowflake/bound-rows';
export { SnowflakeSession } from './snowflake/session';
export { isRefusal as isSnowflakeRefusal, snowflakeCodeOf } from './snowflake/snowflake-fault';
export {
  floatText as snowflakeFloat,
  snowflakeName,
  snowflakeText,
  storedName as snowflakeStoredName,
} from './snowflake/snowflake-literal';
export {
  checkSnowflakeSettings,
  type SnowflakePlace,
  snowflakePlace,
  snowflakeSettings,
  type SnowflakeTarget,
  snowflakeTargetOf,
} from './snowflake/snowflake-settings';
export { asTable } from './snowflake/as-table';
export { type Cell, snowflakeCounterpart } from './snowflake/column-types';
export type { SnowflakeColumn } from './snowflake/driver';
export { BadValue } from './database/source-column';
