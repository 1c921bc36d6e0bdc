/**
 * Passed on the command line at every start, so that a newer release applies its settings to an existing folder.
 *
 * Sized for a small machine that shares its memory with the services: durable to the last commit, many short commits,
 * append-only tables that are read once and dropped next to rows that are updated all the time.
 */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_permissions: '0700',
  max_connections: '100',
  fsync: 'on',
  synchronous_commit: 'on',
  shared_buffers: '64MB',
  effective_cache_size: '512MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  random_page_cost: '1.1',
  jit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '1GB',
  wal_compression: 'on',
  checkpoint_timeout: '15min',
  io_method: 'sync',
  max_worker_processes: '2',
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '0',
  max_logical_replication_workers: '0',
  autovacuum_max_workers: '2',
  autovacuum_naptime: '20s',
  autovacuum_vacuum_scale_factor: '0.05',
  autovacuum_analyze_scale_factor: '0.05',
  autovacuum_vacuum_cost_limit: '1000',
  log_min_messages: 'warning',
  timezone: 'UTC',
  log_timezone: 'UTC',
} as const;

/** Settings of PostgreSQL by name, such as `fsync`. */
export type ServerSettings = Readonly<Record<string, string>>;

/**
 * @param socketDirectory empty: the server listens on its port only.
 * @param settings replace those that each server has.
 */
export const serverArguments = (
  clusterDir: string,
  port: number,
  socketDirectory: string,
  settings: ServerSettings = {},
): readonly string[] => [
  '-D',
  clusterDir,
  ...Object.entries({
    ...SETTINGS,
    ...settings,
    unix_socket_directories: socketDirectory,
    port,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
];
