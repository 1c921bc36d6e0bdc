import { ADVISORY_LOCK } from '@penstock/contracts';
import { limitQueries } from '@penstock/messaging';
import { Client } from 'pg';
import type { Sleeper } from './sleeper';

const TIMEOUT_MS = 5_000;

/**
 * The server ends a session whose client cannot be reached within 25 s, so that another process may go on; what
 * a relay has under way when it checks the lock takes less (two appends of 10 s).
 */
const KEEPALIVES =
  '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3';

/**
 * A process that stands still, on a machine that answers, loses the right after a time in which one that works has used the
 * session many times.
 */
const SILENT_MS = 60_000;

/** The right to publish: held by one database session at a time, lost with it. It is also notified of new facts. */
export class RelayLock {
  private readonly client: Client;

  constructor(
    databaseUrl: string,
    private readonly channel: string,
    sleeper: Sleeper,
    silentMs = SILENT_MS,
  ) {
    this.client = new Client({
      connectionString: databaseUrl,
      application_name: 'penstock-relay',
      connectionTimeoutMillis: TIMEOUT_MS,
      keepAlive: true,
      options: `${KEEPALIVES} -c idle_session_timeout=${String(silentMs)}`,
    });
    limitQueries(this.client, TIMEOUT_MS);
    this.client.on('error', () => {
      sleeper.wake();
    });
    this.client.on('notification', () => {
      sleeper.wake();
    });
  }

  async connect(): Promise<void> {
    await this.client.connect();
  }

  /** @returns whether it is held now. */
  async take(): Promise<boolean> {
    const { rows } = await this.client.query<{ held: boolean }>(
      'SELECT pg_try_advisory_lock($1) AS held',
      [ADVISORY_LOCK.relay],
    );
    if (rows[0]?.held !== true) return false;
    await this.client.query(`LISTEN ${this.channel}`);
    return true;
  }

  /** @throws Error when the session, and so the lock, is lost. */
  async check(): Promise<void> {
    await this.client.query('SELECT 1');
  }

  async release(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }
}
