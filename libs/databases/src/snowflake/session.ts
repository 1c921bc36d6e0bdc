import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseCall } from '../database/database';
import { DatabaseFault, type DatabaseFaultKind } from '../database/database-fault';
import type { Cell } from './column-types';
import {
  type Binds,
  type DriverColumn,
  type DriverConnection,
  type DriverStatement,
  snowflakeDriver,
} from './driver';
import { GuardedAgents } from './guarded-agent';
import { snowflakeFaultOf } from './snowflake-fault';
import { storedName } from './snowflake-literal';
import type { SnowflakeTarget } from './snowflake-settings';

/** Milliseconds for ending a statement and the session. */
const END_TIMEOUT_MS = 5_000;

/** One statement a request, whatever the account says. */
const ONE_STATEMENT = { MULTI_STATEMENT_COUNT: 1 };

/**
 * What an account or a user may have set otherwise: how the server reads texts and names and writes JSON, how many rows a
 * result may have, and how many MiB a chunk of it. A statement that nobody asks about any more is ended. Source:
 * Snowflake, "Parameters".
 */
const PARAMETERS: Readonly<Record<string, string>> = {
  TIMEZONE: "'UTC'",
  DATE_INPUT_FORMAT: "'AUTO'",
  TIME_INPUT_FORMAT: "'AUTO'",
  TIMESTAMP_INPUT_FORMAT: "'AUTO'",
  JSON_INDENT: '0',
  STRICT_JSON_OUTPUT: 'TRUE',
  AUTOCOMMIT: 'TRUE',
  TRANSACTION_ABORT_ON_ERROR: 'FALSE',
  ABORT_DETACHED_QUERY: 'TRUE',
  QUOTED_IDENTIFIERS_IGNORE_CASE: 'FALSE',
  ROWS_PER_RESULTSET: '0',
  CLIENT_RESULT_CHUNK_SIZE: '48',
};

const SET = `ALTER SESSION SET ${Object.entries(PARAMETERS)
  .map(([name, value]) => `${name} = ${value}`)
  .join(', ')}`;

/** A login succeeds without them. */
const PLACE = 'SELECT CURRENT_DATABASE(), CURRENT_SCHEMA(), CURRENT_WAREHOUSE()';

type Row = readonly (Cell | null)[];

/** What a statement that runs gives. */
export interface SnowflakeRows {
  readonly columns: readonly DriverColumn[];
  /** Of rows; chunks of the result are fetched only as fast as they are read. */
  readonly stream: Readable;
}

/** The name of what there is. @throws DatabaseFault Refused */
const stored = (found: Cell | null | undefined, name: string): string => {
  if (typeof found === 'string') return found;
  throw new DatabaseFault('Refused', `there is no ${name}, or the role may not use it`);
};

/** A session at a Snowflake, which outlives its connections. */
export class SnowflakeSession {
  /**
   * @param makesSchema whether the schema may be missing, since it is to be made.
   * @throws DatabaseFault Unreachable, Refused
   */
  static async open(
    target: SnowflakeTarget,
    call: DatabaseCall,
    makesSchema = false,
  ): Promise<SnowflakeSession> {
    const agents = new GuardedAgents(call.sockets);
    const { createConnection } = await snowflakeDriver();
    const { url, account, username, password, role, database, schema, warehouse } = target;
    const connection = createConnection({
      ...{ account, accessUrl: url, username, password, role, database, schema, warehouse },
      application: 'penstock',
      rowMode: 'array',
      resultPrefetch: 1,
      // Binds are never put into a stage: that would need ways to clouds of their own.
      arrayBindingThreshold: Number.MAX_SAFE_INTEGER,
      sfRetryMaxLoginRetries: 0,
      clientSessionKeepAlive: false,
      agentClass: agents.of,
    });
    const session = new SnowflakeSession(connection, agents, target, call);
    try {
      await session.begin(makesSchema);
      return session;
    } catch (error) {
      await session.close();
      throw session.faultOf(error);
    }
  }

  /** Names as they are stored. */
  database = '';
  schema = '';

  private isOpen = false;
  private closing: Promise<void> | undefined;
  private running: DriverStatement | undefined;
  private readonly givenUp: Promise<never>;
  /** Nobody can give up what has ended, and calls may last longer than their sessions. */
  private readonly ended = new AbortController();

  private constructor(
    private readonly connection: DriverConnection,
    private readonly agents: GuardedAgents,
    private readonly target: SnowflakeTarget,
    private readonly call: DatabaseCall,
  ) {
    this.givenUp = new Promise((_, reject) => {
      const giveUp = (): void => {
        reject(new Error('given up'));
        void this.close(true);
      };
      const { signal } = this.ended;
      if (call.signal.aborted) giveUp();
      else call.signal.addEventListener('abort', giveUp, { once: true, signal });
    });
    this.givenUp.catch(() => undefined);
  }

  /** Why something has failed. @param refused what it means when the server refuses. */
  faultOf(error: unknown, refused?: DatabaseFaultKind): DatabaseFault {
    const { password } = this.target;
    const { signal } = this.call;
    const { unreachable } = this.agents;
    return snowflakeFaultOf(error, { password, signal, unreachable }, refused);
  }

  /** Runs a statement, and gives its columns and a stream of its rows. */
  async run(sqlText: string, binds: Binds = []): Promise<SnowflakeRows> {
    const statement = await this.execute(sqlText, binds);
    const columns = statement.getColumns() ?? [];
    for (const [index, column] of columns.entries())
      column._getRowValue = ({ values }) => {
        const cell = values?.[index] ?? null;
        return cell === null || typeof cell === 'string' ? cell : JSON.stringify(cell);
      };
    return { columns, stream: statement.streamRows() };
  }

  /** All rows of a statement of our own. */
  async rows(sqlText: string, binds: Binds = []): Promise<readonly Row[]> {
    const { stream } = await this.run(sqlText, binds);
    return (await stream.toArray()) as readonly Row[];
  }

  /** @param isBusy whether a statement may be running, which is ended. May be called again. */
  close(isBusy = false): Promise<void> {
    this.closing ??= this.end(isBusy);
    return this.closing;
  }

  private async begin(makesSchema: boolean): Promise<void> {
    await this.logIn();
    this.isOpen = true;
    await this.rows(SET);
    const [place = []] = await this.rows(PLACE);
    const { database, schema, warehouse } = this.target;
    const [storedDatabase, storedSchema = null, storedWarehouse] = place;
    this.database = stored(storedDatabase, database);
    stored(storedWarehouse, warehouse);
    this.schema =
      storedSchema === null && makesSchema
        ? storedName(schema)
        : stored(storedSchema, `${database}.${schema}`);
  }

  private logIn(): Promise<void> {
    const loggedIn = new Promise<void>((resolve, reject) => {
      const done = (error: Error | null | undefined): void => {
        if (error) reject(error);
        else resolve();
      };
      this.connection.connectAsync(done).catch(reject);
    });
    return Promise.race([loggedIn, this.givenUp]);
  }

  private execute(sqlText: string, binds: Binds): Promise<DriverStatement> {
    const answered = new Promise<DriverStatement>((resolve, reject) => {
      this.running = this.connection.execute({
        ...{ sqlText, binds, streamResult: true, parameters: ONE_STATEMENT },
        complete: (error, statement) => {
          if (error) reject(error);
          else resolve(statement);
        },
      });
    });
    return Promise.race([answered, this.givenUp]);
  }

  private async end(isBusy: boolean): Promise<void> {
    const timeout = new AbortController();
    const ended = this.isOpen ? this.destroy(isBusy) : Promise.resolve();
    const late = sleep(END_TIMEOUT_MS, undefined, { signal: timeout.signal }).catch(
      () => undefined,
    );
    await Promise.race([ended, late]);
    timeout.abort();
    this.ended.abort();
    this.agents.close();
  }

  /** A session that is not ended keeps its locks. */
  private async destroy(isBusy: boolean): Promise<void> {
    const { running } = this;
    if (isBusy && running !== undefined)
      await new Promise<void>((resolve) => {
        running.cancel(resolve);
      });
    await new Promise<void>((resolve) => {
      this.connection.destroy(resolve);
    });
  }
}
