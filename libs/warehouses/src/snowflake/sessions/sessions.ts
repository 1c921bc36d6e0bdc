import { SnowflakeSession, type SnowflakeTarget } from '@penstock/databases';
import type { GuardedSockets } from '@penstock/egress';
import { WarehouseFault } from '../../platform/warehouse';
import { faultOf, isUsableAfter } from './fault';
import type { Place } from '../sql/names';

/** For what sessions are used. */
export interface SessionsUse {
  /** Sessions at a time, 1 or more. */
  readonly max: number;
  /** Seconds after which the server ends a statement. */
  readonly statementSeconds: number;
  /** Seconds for which a statement waits for what another transaction holds. */
  readonly lockSeconds: number;
  /** Whether the schema may be missing, since it is to be made. Absent: no. */
  readonly makesSchema?: boolean;
}

/** What sessions are opened by. */
interface Opening {
  readonly target: SnowflakeTarget;
  readonly sockets: GuardedSockets;
  readonly use: SessionsUse;
  readonly signal: AbortSignal;
}

/** Source: Snowflake, "Parameters": the defaults are two days and twelve hours. */
const limits = ({ statementSeconds, lockSeconds }: SessionsUse): string =>
  `ALTER SESSION SET STATEMENT_TIMEOUT_IN_SECONDS = ${String(statementSeconds)}, LOCK_TIMEOUT = ${String(lockSeconds)}`;

const opened = async ({ target, sockets, use, signal }: Opening): Promise<SnowflakeSession> => {
  let session: SnowflakeSession | undefined;
  try {
    session = await SnowflakeSession.open(target, { sockets, signal }, use.makesSchema);
    await session.rows(limits(use));
    return session;
  } catch (error) {
    await session?.close();
    throw faultOf(error, session);
  }
};

/** A few sessions of one user, opened when they are needed. */
export class Sessions {
  /**
   * Opens the first session, which shows whether the server can be used.
   *
   * @param signal ends every session, with what is under way on it.
   * @throws WarehouseFault
   */
  static async open(
    target: SnowflakeTarget,
    sockets: GuardedSockets,
    use: SessionsUse,
    signal: AbortSignal,
  ): Promise<Sessions> {
    const opening = { target, sockets, use, signal };
    return new Sessions(opening, await opened(opening));
  }

  /** The schema of the settings, by the names that the server has for it. */
  readonly place: Place;
  private readonly free: SnowflakeSession[];
  private readonly waiting: (() => void)[] = [];
  private used = 0;

  private constructor(
    private readonly opening: Opening,
    first: SnowflakeSession,
  ) {
    this.place = { database: first.database, schema: first.schema };
    this.free = [first];
  }

  /**
   * Does work on a session that nobody else uses meanwhile.
   *
   * @throws WarehouseFault
   */
  async use<T>(work: (session: SnowflakeSession) => Promise<T>): Promise<T> {
    await this.turn();
    try {
      return await this.onSession(this.free.pop() ?? (await opened(this.opening)), work);
    } finally {
      this.used -= 1;
      this.waiting.shift()?.();
    }
  }

  /** Ends the sessions, once what is under way on them has ended. */
  async close(): Promise<void> {
    const { max } = this.opening.use;
    await Promise.all(Array.from({ length: max }, () => this.turn()));
    await Promise.all(this.free.splice(0).map((session) => session.close()));
    this.used -= max;
  }

  private async turn(): Promise<void> {
    while (this.used >= this.opening.use.max)
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.used += 1;
  }

  private async onSession<T>(
    session: SnowflakeSession,
    work: (session: SnowflakeSession) => Promise<T>,
  ): Promise<T> {
    try {
      if (this.opening.signal.aborted) throw new WarehouseFault('unreachable', 'was given up');
      const result = await work(session);
      this.free.push(session);
      return result;
    } catch (error) {
      const fault = faultOf(error, session);
      if (isUsableAfter(error, fault)) this.free.push(session);
      else await session.close(true);
      throw fault;
    }
  }
}
