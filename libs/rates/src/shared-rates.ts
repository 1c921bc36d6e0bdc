import { ADVISORY_LOCK } from '@penstock/contracts';

/** How often requests may be made, as a connector says it. */
export interface Limits {
  /** Requests a second; absent: no limit. */
  readonly ratePerSecond?: number;
  /** Requests that may go at once after a pause; absent: one second's worth. */
  readonly burst?: number;
  /** Requests of a group have a rate of their own; absent: they are in none, and share that of the connection. */
  readonly group?: string;
  /** What the requests of a group count in, too. */
  readonly within?: Limits;
}

/** A rate that all processes keep together. */
export interface Rate {
  /** Names the rate. */
  readonly rate: string;
  readonly ratePerSecond: number;
  /** Tokens that may be taken at once after a pause. */
  readonly burst: number;
}

/** A demand for tokens of a rate, one for each request. */
export interface TokensWanted extends Rate {
  /** At least 1. */
  readonly count: number;
}

/** What was given of what was wanted. */
export interface TokensGiven {
  readonly count: number;
  /** Milliseconds until there is another token; 0: all that were wanted were given. */
  readonly waitMs: number;
}

/** The rates that requests to a connection keep to; none: there is no limit. */
export const ratesOf = (
  connection: string,
  { ratePerSecond, burst, group, within }: Limits,
): readonly Rate[] => {
  const others = within === undefined ? [] : ratesOf(connection, within);
  if (ratePerSecond === undefined) return others;
  const rate = group === undefined ? connection : `${connection}/${group}`;
  return [{ rate, ratePerSecond, burst: burst ?? Math.max(1, ratePerSecond) }, ...others];
};

/** A rate that nobody has used for so long has all of its tokens, whatever is stored. */
const IDLE_MS = 3_600_000;

const PREPARE = `
DO $$ BEGIN
  PERFORM pg_advisory_xact_lock(${String(ADVISORY_LOCK.prepareRates)});
  IF to_regclass('penstock_rates.rates') IS NULL THEN
    CREATE SCHEMA IF NOT EXISTS penstock_rates;
    CREATE TABLE penstock_rates.rates (
      rate   text COLLATE "C" PRIMARY KEY,
      due_ms float8 NOT NULL,
      given  integer NOT NULL
    ) WITH (fillfactor = 50);
  END IF;
END $$`;

/**
 * The generic cell rate algorithm of ITU-T I.371, by the database's clock: `due_ms` is the time at which all tokens given
 * so far would have been due at an even rate. It is at most one burst ahead of the clock, so that neither a clock that was
 * set back nor an earlier, lower rate causes long waits. The error of additions is below a microsecond.
 */
const TAKE = `
INSERT INTO penstock_rates.rates AS r (rate, due_ms, given)
SELECT $1, now_ms + given * interval_ms, given
  FROM (SELECT extract(epoch FROM now())::float8 * 1000 AS now_ms, $2::float8 AS interval_ms,
               least($4::int, floor($3::float8 / $2::float8 + 1e-6))::int AS given) first
ON CONFLICT (rate) DO UPDATE
   SET (due_ms, given) = (
     SELECT from_ms + tokens * $2::float8, tokens
       FROM (SELECT from_ms, greatest(0, least($4::int,
                      floor(($3::float8 - (from_ms - now_ms)) / $2::float8 + 1e-6)))::int AS tokens
               FROM (SELECT now_ms, least(greatest(r.due_ms, now_ms), now_ms + $3::float8) AS from_ms
                       FROM (SELECT extract(epoch FROM now())::float8 * 1000 AS now_ms) clock) due) step)
RETURNING given, ceil(due_ms + $2::float8 - $3::float8 - extract(epoch FROM now())::float8 * 1000 - 1e-3) AS wait_ms`;

const FORGET = `
DELETE FROM penstock_rates.rates WHERE due_ms < extract(epoch FROM now())::float8 * 1000 - $1`;

/** Runs single statements in the database of the installation. */
export interface Statements {
  readonly rows: <Row extends object>(text: string, values: readonly unknown[]) => Promise<Row[]>;
}

/** Tokens of rates, in the database that all processes of the installation share. Rejects with the driver's errors. */
export class SharedRates {
  constructor(private readonly statements: Statements) {}

  /** Makes the table where it is missing. Several processes may do so at once. */
  async prepare(): Promise<void> {
    await this.statements.rows(PREPARE, []);
  }

  /** Takes up to `count` tokens of the rate, as many as there are. */
  async take({ rate, ratePerSecond, burst, count }: TokensWanted): Promise<TokensGiven> {
    const intervalMs = 1_000 / ratePerSecond;
    const values = [rate, intervalMs, Math.max(1, burst) * intervalMs, count];
    const [row] = await this.statements.rows<{ given: number; wait_ms: number }>(TAKE, values);
    const { given = 0, wait_ms = 0 } = row ?? {};
    return { count: given, waitMs: given < count ? Math.max(1, wait_ms) : 0 };
  }

  /** Deletes rates that nobody uses. */
  async forgetIdle(): Promise<void> {
    await this.statements.rows(FORGET, [IDLE_MS]);
  }
}
