import type { Connection, PrepareStatementInfo } from 'mysql2';
import type { Duplex } from 'node:stream';
import type { AnswerLimit } from '../database/answer-limit';
import type { DatabaseCall } from '../database/database';
import { DatabaseFault, type DatabaseFaultKind } from '../database/database-fault';
import { connectMysql } from './connect';
import type { LimitedMysql } from './limited-connection';
import { mysqlFaultOf } from './mysql-fault';
import type { MysqlTarget } from './mysql-settings';

/** Milliseconds for ending a statement over a second connection. */
const KILL_TIMEOUT_MS = 5_000;

/** More than any statement of our own asks for. A cell that is null takes a bit of what is sent, but a word of memory. */
const MAX_COLUMNS = 100;
const STRANGE = 'the database server has answered with columns that nobody has asked for';

/** Cells of a row as the driver reads them with the options of {@link connectMysql}. */
export type Cell = string | number | Buffer;

/** The transactions of a procedure are read-only too. Times are written in UTC. */
const BEGIN = [
  "SET SESSION time_zone = '+00:00'",
  'SET SESSION TRANSACTION READ ONLY',
  'START TRANSACTION READ ONLY',
];

/** A connection to a MySQL with one read-only transaction, which is never committed; mergers begin others. */
export class MysqlSession {
  /** @throws DatabaseFault Unreachable, Refused */
  static async open(target: MysqlTarget, call: DatabaseCall): Promise<MysqlSession> {
    const session = new MysqlSession(await connectMysql(target, call), target, call);
    try {
      for (const statement of BEGIN) await session.rows(statement);
      return session;
    } catch (error) {
      await session.close();
      throw session.faultOf(error);
    }
  }

  private ended: Promise<void> | undefined;
  private isClosed = false;

  readonly connection: Connection;
  /** What may still come in answer to the latest statement. */
  readonly answers: AnswerLimit;

  private constructor(
    { connection, answers }: LimitedMysql,
    private readonly target: MysqlTarget,
    private readonly call: DatabaseCall,
  ) {
    this.connection = connection;
    this.answers = answers;
    call.signal.addEventListener('abort', this.abandon, { once: true });
  }

  /** The encrypted or plain stream that rows come on. */
  get stream(): Duplex {
    return (this.connection as unknown as { readonly stream: Duplex }).stream;
  }

  /** Why something has failed. @param refused what it means when the server refuses. */
  faultOf(error: unknown, refused?: DatabaseFaultKind): DatabaseFault {
    return mysqlFaultOf(error, this.target.password, this.call.signal, refused);
  }

  /** All rows of a statement of our own. */
  rows(
    sql: string,
    values: readonly string[] = [],
  ): Promise<readonly (readonly (Cell | null)[])[]> {
    this.answers.begin();
    return new Promise((resolve, reject) => {
      const running = this.connection.execute(sql, [...values], (error, rows) => {
        if (error === null) resolve(rows as unknown as readonly (readonly (Cell | null)[])[]);
        else reject(error);
      });
      running.on('fields', (fields: readonly unknown[] | undefined) => {
        if ((fields?.length ?? 0) > MAX_COLUMNS)
          this.stream.destroy(new DatabaseFault('Unreachable', STRANGE));
      });
    });
  }

  /** Runs a statement of our own as it is, with literals. */
  run(sql: string): Promise<unknown> {
    this.answers.begin();
    return new Promise((resolve, reject) => {
      this.connection.query(sql, (error, result) => {
        if (error === null) resolve(result);
        else reject(error);
      });
    });
  }

  /** Parses a statement, without running it. Several statements at once are refused. */
  prepare(sql: string): Promise<PrepareStatementInfo> {
    this.answers.begin();
    return new Promise((resolve, reject) => {
      this.connection.prepare(sql, (error, statement) => {
        if (error === null) resolve(statement);
        else reject(error);
      });
    });
  }

  /** @param isBusy whether a statement may be running, which is ended. */
  async close(isBusy = false): Promise<void> {
    if (!this.isClosed) {
      this.isClosed = true;
      this.call.signal.removeEventListener('abort', this.abandon);
      if (isBusy) this.abandon();
      else if (!this.call.signal.aborted) await this.quit();
    }
    await this.ended;
  }

  private quit(): Promise<void> {
    return new Promise((resolve) => {
      this.connection.end(() => {
        this.stream.destroy();
        resolve();
      });
    });
  }

  private readonly abandon = (): void => {
    this.ended ??= this.kill(this.connection.threadId);
    this.stream.destroy();
  };

  /** The server goes on with a statement whose connection is gone. Best effort. */
  private async kill(threadId: number): Promise<void> {
    const { sockets } = this.call;
    try {
      const signal = AbortSignal.timeout(KILL_TIMEOUT_MS);
      const { connection } = await connectMysql(this.target, { sockets, signal });
      await new Promise((resolve) => {
        connection.query(`KILL ${String(threadId)}`, resolve);
      });
      connection.destroy();
    } catch {
      // The server is away, and the statement with it, or it ends the statement when it writes to the connection.
    }
  }
}
