import { DatabaseError, type Pool, type PoolClient, type PoolConfig, type QueryConfig } from 'pg';
import { LogUnavailable } from '../message-log';
import { UnsuitableTopic } from '../unsuitable-topic';
import { openPool } from './open-pool';

const CONNECT_TIMEOUT_MS = 5_000;
/**
 * A process that stops in the middle of a transaction (a frozen machine, a paused container) loses it, and the locks that others
 * wait for, in time for each of them to renew its lease of a group.
 */
const IDLE_TRANSACTION_MS = 5_000;
/** Exceeds the time of every statement; a statement that hangs (a lost host) loses its connection. */
export const STATEMENT_TIMEOUT_MS = 20_000;

/**
 * Every statement uses an index and is short. Since fresh tables have no statistics, other plans are disabled, and each
 * statement is planned once per connection.
 */
const SESSION = [
  'enable_seqscan=off',
  'enable_bitmapscan=off',
  'jit=off',
  'plan_cache_mode=force_generic_plan',
  'client_min_messages=warning',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

/** Classes of SQLSTATE for temporary failures: connection, resources, operator intervention. */
const PASSING = /^(08|53|57P)/;

/** Converts a lost connection into {@link LogUnavailable}; errors of the server itself stay unchanged. */
export const asLogError = (error: unknown): unknown => {
  if (error instanceof LogUnavailable || error instanceof UnsuitableTopic) return error;
  if (error instanceof DatabaseError && !PASSING.test(error.code ?? '')) return error;
  return new LogUnavailable('PostgreSQL cannot be reached', { cause: error });
};

const UNDEFINED_TABLE = '42P01';

/** Returns no rows when the schema does not exist: no topic was ever made. @throws any other error. */
export const emptyWithoutSchema = (error: unknown): readonly never[] => {
  if (error instanceof DatabaseError && error.code === UNDEFINED_TABLE) return [];
  throw error;
};

export const sessionConfig = (config: PoolConfig): PoolConfig => ({
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  keepAlive: true,
  application_name: 'penstock-log',
  idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
  ...config,
  options: [SESSION, config.options].filter(Boolean).join(' '),
});

/** A pool of a few connections to PostgreSQL; rejects with {@link LogUnavailable} when the server cannot be reached. */
export class Database {
  private readonly pool: Pool;

  constructor(readonly config: PoolConfig) {
    this.pool = openPool(sessionConfig({ max: 8, ...config }), {
      statementMs: STATEMENT_TIMEOUT_MS,
    });
  }

  /** Returns rows as arrays, in the order of the selected columns; 64-bit integers are texts. */
  async rows<Row extends unknown[]>(query: QueryConfig): Promise<readonly Row[]> {
    try {
      return (await this.pool.query<Row>({ ...query, rowMode: 'array' })).rows;
    } catch (error) {
      throw asLogError(error);
    }
  }

  /** Unlike that of a statement, a rejection here means that nothing was sent. */
  async connect(): Promise<PoolClient> {
    try {
      return await this.pool.connect();
    } catch (error) {
      throw asLogError(error);
    }
  }

  /** Runs the work in a transaction; rolls back when it rejects. */
  async transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.connect();
    try {
      await client.query('begin');
      const result = await work(client);
      await client.query('commit');
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      throw asLogError(error);
    }
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}
