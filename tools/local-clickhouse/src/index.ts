export { type SharedClickhouse, sharedClickhouse } from './shared-clickhouse';
export { type ClickhouseOptions, type LocalClickhouse, startClickhouse } from './start-clickhouse';
