import type { TokensGiven, TokensWanted } from '../router-store';
import type { Database } from './sql/database';

/**
 * The generic cell rate algorithm of ITU-T I.371, by the database's clock: `tokens_from_ms` is the time at which all
 * tokens given so far would have been due at an even rate. It is at most one burst ahead of the clock, so that neither
 * a clock that was set back nor an earlier, lower rate causes long waits. The error of additions is below a
 * microsecond.
 */
const TAKE = `
INSERT INTO penstock_router.lanes AS l (lane, tokens_from_ms, tokens_given)
SELECT $1, now_ms + given * interval_ms, given
  FROM (SELECT extract(epoch FROM now())::float8 * 1000 AS now_ms, $2::float8 AS interval_ms,
               least($4::int, floor($3::float8 / $2::float8 + 1e-6))::int AS given) first
ON CONFLICT (lane) DO UPDATE
   SET (tokens_from_ms, tokens_given) = (
     SELECT from_ms + given * $2::float8, given
       FROM (SELECT from_ms, greatest(0, least($4::int,
                      floor(($3::float8 - (from_ms - now_ms)) / $2::float8 + 1e-6)))::int AS given
               FROM (SELECT now_ms, least(greatest(l.tokens_from_ms, now_ms), now_ms + $3::float8) AS from_ms
                       FROM (SELECT extract(epoch FROM now())::float8 * 1000 AS now_ms) clock) due) step)
RETURNING tokens_given AS given,
          ceil(tokens_from_ms + $2::float8 - $3::float8 - extract(epoch FROM now())::float8 * 1000 - 1e-3) AS wait_ms`;

/** Takes up to `count` tokens of the rate, as many as there are. */
export const takeTokens = async (
  database: Database,
  { rate, ratePerSecond, burst, count }: TokensWanted,
): Promise<TokensGiven> => {
  const intervalMs = 1_000 / ratePerSecond;
  const values = [rate, intervalMs, Math.max(1, burst) * intervalMs, count];
  const [row] = await database.rows<{ given: number; wait_ms: number }>(TAKE, values);
  const { given = 0, wait_ms = 0 } = row ?? {};
  return { count: given, waitMs: given < count ? Math.max(1, wait_ms) : 0 };
};
