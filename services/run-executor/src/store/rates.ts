import type { Database } from './database';
import { orAway } from './postgres-ledger';
import type { RatedCalls } from './run-store';

/** Bounds the wait for calls that were given places before, as when the database's clock was set back. */
const MOST_AHEAD_MS = 600_000;

/** Calls get places at an even rate, by the database's clock; those that nobody has asked for are not made up. */
const RESERVE = `
INSERT INTO penstock_runs.rates AS r (connection, workspace, due_ms, interval_ms)
VALUES ($1, $2, extract(epoch FROM clock_timestamp())::float8 * 1000, $3)
ON CONFLICT (connection) DO UPDATE
   SET interval_ms = excluded.interval_ms,
       due_ms = (SELECT least(greatest(now_ms, r.due_ms + r.interval_ms), now_ms + $4)
                   FROM (SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now_ms) AS clock)
RETURNING greatest(0, due_ms - extract(epoch FROM clock_timestamp())::float8 * 1000) AS "waitMs"`;

/** Gives the calls of each connection their places, over all executors. */
export class Rates {
  constructor(private readonly database: Database) {}

  /** @returns milliseconds until the call may go. @throws Away */
  async reserve({ workspace, connection, ratePerSecond }: RatedCalls): Promise<number> {
    const values = [connection, workspace, 1_000 / ratePerSecond, MOST_AHEAD_MS];
    const rows = await orAway(() => this.database.rows<{ waitMs: number }>(RESERVE, values));
    return rows[0]?.waitMs ?? 0;
  }
}
