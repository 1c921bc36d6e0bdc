import type { Socket } from 'node:net';
import { type Client, DatabaseError, Pool, type PoolClient } from 'pg';
import { postgresqlClientConfig, type PostgresqlTarget } from '@penstock/databases';
import type { GuardedSockets } from '@penstock/egress';
import { APPLICATION_NAME, connect } from '../connect';
import { faultOf } from '../fault';
import { type SessionSettings, watchingIf } from './watching';

/** A transaction that waits for this process holds its locks no longer. */
const IDLE_TRANSACTION_MS = 60_000;

/** The longest wait for the end of a transaction that has failed: after it the connection is given up. */
const ROLLBACK = { text: 'ROLLBACK', query_timeout: 5_000 };

/** After this a connection that is not used is closed. */
const IDLE_MS = 10_000;

/** For what connections are used. */
export interface SessionsUse {
  /** Connections at a time, 1 or more. */
  readonly max: number;
  /** Milliseconds after which the server ends a statement. */
  readonly statementTimeoutMs: number;
  /** Milliseconds of the longest wait for a connection, a free one included. */
  readonly connectTimeoutMs: number;
  /** What every session begins with. Absent: what the server has for it. */
  readonly settings?: SessionSettings;
}

/** As a connection tells the server. */
const optionsOf = (settings: SessionSettings): { readonly options?: string } => {
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  return options.length === 0 ? {} : { options: options.join(' ') };
};

/** A few connections of one user, opened when they are needed. */
export class Sessions {
  /**
   * Opens the first connection, which shows whether the server can be used, and encrypts.
   *
   * @param signal ends every connection, with what is under way on it.
   * @throws WarehouseFault
   */
  static async open(
    target: PostgresqlTarget,
    guarded: GuardedSockets,
    { max, statementTimeoutMs, connectTimeoutMs, settings }: SessionsUse,
    signal: AbortSignal,
  ): Promise<Sessions> {
    const { client, ssl } = await connect(target, guarded, signal);
    let watching: Awaited<ReturnType<typeof watchingIf>>;
    try {
      watching = await watchingIf(client);
    } catch (error) {
      throw faultOf(error, target.password, signal);
    } finally {
      await client.end().catch(() => undefined);
    }
    const sockets = new Set<Socket>();
    const socket = (): Socket => {
      const made = guarded.to(target);
      sockets.add(made);
      made.once('close', () => sockets.delete(made));
      return made;
    };
    const pool = new Pool({
      ...postgresqlClientConfig(target, ssl, socket, APPLICATION_NAME),
      ...optionsOf({ ...settings, ...watching }),
      max,
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
      connectionTimeoutMillis: connectTimeoutMs,
      idleTimeoutMillis: IDLE_MS,
    });
    // A statement under way on one that is lost is rejected by itself; one that is idle is replaced by the next use.
    pool.on('error', () => undefined);
    pool.on('connect', (opened) => opened.on('error', () => undefined));
    const giveUp = (): void => {
      for (const each of sockets) each.destroy(new Error('given up'));
    };
    signal.addEventListener('abort', giveUp);
    return new Sessions(pool, target.password, signal, giveUp);
  }

  private constructor(
    private readonly pool: Pool,
    private readonly password: string,
    private readonly signal: AbortSignal,
    private readonly giveUp: () => void,
  ) {}

  /**
   * Does work on a connection that nobody else uses meanwhile. What has failed in a transaction is rolled back.
   *
   * @throws WarehouseFault
   */
  async use<T>(work: (client: Client) => Promise<T>): Promise<T> {
    try {
      this.signal.throwIfAborted();
      const client = await this.pool.connect();
      try {
        const result = await work(client);
        client.release();
        return result;
      } catch (error) {
        await this.giveBack(client, error);
        throw error;
      }
    } catch (error) {
      throw faultOf(error, this.password, this.signal);
    }
  }

  /**
   * As {@link use}, for what is given piece by piece. Where it is not read to its end, the connection is given up.
   *
   * @throws WarehouseFault
   */
  async *stream<T>(work: (client: Client) => AsyncIterable<T>): AsyncGenerator<T> {
    try {
      this.signal.throwIfAborted();
      const client = await this.pool.connect();
      let isHeld = true;
      try {
        yield* work(client);
        client.release();
        isHeld = false;
      } catch (error) {
        isHeld = false;
        await this.giveBack(client, error);
        throw error;
      } finally {
        if (isHeld) client.release(true);
      }
    } catch (error) {
      throw faultOf(error, this.password, this.signal);
    }
  }

  /** Ends the connections, once what is under way on them has ended. */
  async close(): Promise<void> {
    await this.pool.end();
    // A signal outlives many writers: what waits on it for one that is closed would be kept for as long.
    this.signal.removeEventListener('abort', this.giveUp);
  }

  /** A connection goes on after what the server has refused, and after nothing else. */
  private async giveBack(client: PoolClient, error: unknown): Promise<void> {
    const isUsable =
      error instanceof DatabaseError &&
      (await client.query(ROLLBACK).then(
        () => true,
        () => false,
      ));
    client.release(!isUsable);
  }
}
