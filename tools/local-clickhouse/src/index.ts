export { type ClickhouseOptions, type LocalClickhouse, startClickhouse } from './start-clickhouse';
