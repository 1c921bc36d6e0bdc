import { Pool, type PoolConfig } from 'pg';
import { limitQueries } from './limit-queries';

/** Options of a pool besides those of the driver. */
export interface PoolLimits {
  /** Milliseconds that a statement without a `query_timeout` of its own may take; then its session ends. */
  readonly statementMs: number;
  /** Called when an idle session is lost. */
  readonly onIdleError?: (error: Error) => void;
}

/** Opens a pool whose statements have a time limit; a lost session never ends the process. */
export const openPool = (
  config: PoolConfig,
  { statementMs, onIdleError = () => undefined }: PoolLimits,
): Pool => {
  const pool = new Pool(config);
  pool.on('error', onIdleError);
  pool.on('connect', (client) => {
    // A session that ends between two statements emits an error event, which would end the process without a listener.
    client.on('error', () => undefined);
    limitQueries(client, statementMs);
  });
  return pool;
};
