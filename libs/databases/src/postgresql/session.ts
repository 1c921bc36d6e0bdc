import { TLSSocket } from 'node:tls';
import type { Duplex } from 'node:stream';
import { escapeLiteral } from 'pg';
import type { DatabaseCall } from '../database/database';
import type { DatabaseFault, DatabaseFaultKind } from '../database/database-fault';
import { cancelStatement } from './cancel';
import { connectPostgresql, TLS } from './connect';
import type { LimitedClient } from './limited-client';
import { postgresqlFaultOf } from './postgresql-fault';
import type { PostgresqlTarget } from './postgresql-settings';

const APPLICATION_NAME = 'penstock-database';

/** What text the server writes for values, and reads in statements; for the transaction only. */
const SETTINGS: Readonly<Record<string, string>> = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, YMD',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
};

/** A process that stands still, or whose machine is gone, holds its locks no longer. */
const WRITING = { idle_in_transaction_session_timeout: '5s' };

/** Whether a transaction may write. */
type TransactionMode = 'READ ONLY' | 'READ WRITE';

/** A connection to a PostgreSQL with one read-only transaction, which is never committed; mergers begin others. */
export class PostgresqlSession {
  /** @throws DatabaseFault Unreachable, Refused */
  static async open(target: PostgresqlTarget, call: DatabaseCall): Promise<PostgresqlSession> {
    const { client } = await connectPostgresql(target, {
      ...call,
      applicationName: APPLICATION_NAME,
    });
    const session = new PostgresqlSession(client, target, call);
    try {
      await session.begin('READ ONLY');
      return session;
    } catch (error) {
      await session.close();
      throw session.faultOf(error);
    }
  }

  private cancelled: Promise<void> | undefined;
  private isClosed = false;

  private constructor(
    readonly client: LimitedClient,
    private readonly target: PostgresqlTarget,
    private readonly call: DatabaseCall,
  ) {
    call.signal.addEventListener('abort', this.abandon, { once: true });
  }

  /** Why something has failed. @param refused what it means when the server refuses. */
  faultOf(error: unknown, refused?: DatabaseFaultKind): DatabaseFault {
    return postgresqlFaultOf(error, this.target.password, this.call.signal, refused);
  }

  /** @param isBusy whether a statement may be running, which is cancelled. */
  async close(isBusy = false): Promise<void> {
    if (!this.isClosed) {
      this.isClosed = true;
      this.call.signal.removeEventListener('abort', this.abandon);
      if (isBusy) this.abandon();
      else if (!this.call.signal.aborted) await this.client.end().catch(() => undefined);
    }
    await this.cancelled;
  }

  /** Begins a transaction in which names and texts mean what our statements mean by them. @param statements are its first. */
  async begin(mode: TransactionMode, ...statements: readonly string[]): Promise<void> {
    // A schema that is not there is no error in a search path.
    const path = `"${this.target.schema}", public`;
    const own = mode === 'READ WRITE' ? WRITING : {};
    const settings = Object.entries({ ...SETTINGS, ...own, search_path: path }).map(
      ([name, value]) => `set_config(${escapeLiteral(name)}, ${escapeLiteral(value)}, true)`,
    );
    const first = [`BEGIN TRANSACTION ${mode}`, `SELECT ${settings.join(', ')}`];
    await this.client.query([...first, ...statements].join('; '));
  }

  private readonly abandon = (): void => {
    const { stream } = (this.client as unknown as { readonly connection: { stream: Duplex } })
      .connection;
    const ssl = stream instanceof TLSSocket ? TLS[this.target.sslMode] : false;
    this.cancelled ??= cancelStatement(this.client, this.target, ssl, this.call.sockets);
    stream.destroy();
  };
}
