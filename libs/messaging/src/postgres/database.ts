import { DatabaseError, type Pool, type PoolClient, type PoolConfig, type QueryConfig } from 'pg';
import { LogUnavailable } from '../message-log';
import { openPool } from './open-pool';

const CONNECT_TIMEOUT_MS = 5_000;
/** Longer than any statement here takes; one that hangs (a lost host) gives its connection up. */
export const STATEMENT_TIMEOUT_MS = 20_000;

/**
 * Every statement here walks an index and is short. The planner, which has no statistics of fresh tables,
 * is kept from other ideas, and each statement is planned once per connection.
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

/** Classes of SQLSTATE that say "not now": connection, resources, operator intervention. */
const PASSING = /^(08|53|57P)/;

/** Thrown by the work of a transaction: rolls it back, and reaches the caller as it is. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** A lost server becomes {@link LogUnavailable}; what the server itself refused stays as it is. */
export const asLogError = (error: unknown): unknown => {
  if (error instanceof LogUnavailable || error instanceof Refused) return error;
  if (error instanceof DatabaseError && !PASSING.test(error.code ?? '')) return error;
  return new LogUnavailable('PostgreSQL cannot be reached', { cause: error });
};

const UNDEFINED_TABLE = '42P01';

/** No topic was ever made here. @throws any other error. */
export const emptyWithoutSchema = (error: unknown): readonly never[] => {
  if (error instanceof DatabaseError && error.code === UNDEFINED_TABLE) return [];
  throw error;
};

export const sessionConfig = (config: PoolConfig): PoolConfig => ({
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  keepAlive: true,
  application_name: 'penstock-log',
  ...config,
  options: [SESSION, config.options].filter(Boolean).join(' '),
});

/** A few connections to PostgreSQL; what fails for want of a server rejects with {@link LogUnavailable}. */
export class Database {
  private readonly pool: Pool;

  constructor(readonly config: PoolConfig) {
    this.pool = openPool(sessionConfig({ max: 8, ...config }), {
      statementMs: STATEMENT_TIMEOUT_MS,
    });
  }

  /** Rows as arrays, in the order of the selected columns; integers of 64 bits as text. */
  async rows<Row extends unknown[]>(query: QueryConfig): Promise<readonly Row[]> {
    try {
      return (await this.pool.query<Row>({ ...query, rowMode: 'array' })).rows;
    } catch (error) {
      throw asLogError(error);
    }
  }

  /** A rejection here, unlike one of a statement, means that nothing was sent. */
  async connect(): Promise<PoolClient> {
    try {
      return await this.pool.connect();
    } catch (error) {
      throw asLogError(error);
    }
  }

  /** All or nothing. */
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
