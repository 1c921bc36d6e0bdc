import { Pool, type PoolConfig } from 'pg';
import { limitQueries } from './limit-queries';

/** What a pool needs to be told beside what the driver knows. */
export interface PoolLimits {
  /** Milliseconds that a statement may take, where it names no `query_timeout` of its own; then its session ends. */
  readonly statementMs: number;
  /** Told of a session that was lost while nobody used it. */
  readonly onIdleError?: (error: Error) => void;
}

/** Sessions whose statements have a time limit; a session that is lost never ends the process. */
export const openPool = (
  config: PoolConfig,
  { statementMs, onIdleError = () => undefined }: PoolLimits,
): Pool => {
  const pool = new Pool(config);
  pool.on('error', onIdleError);
  pool.on('connect', (client) => {
    // A session that ends between two statements says so by an event, which would end the process unheard.
    client.on('error', () => undefined);
    limitQueries(client, statementMs);
  });
  return pool;
};
