import type { LaneId } from '../lane-id';
import { cleanText } from '../clean-text';
import { MAX_PAUSES, NEAR_MS } from '../max-pauses';
import type { LaneRecord } from '../router-store';
import type { Database } from './sql/database';

interface LaneRow {
  readonly lane: LaneId;
  readonly pauses: readonly (readonly [fromMs: number, toMs: number | null])[];
  readonly reason: string;
  readonly version: number;
}

/** Whether the last pause of a lane `l` has not ended. */
const IS_PAUSED = `(jsonb_array_length(l.pauses) > 0 AND l.pauses -> -1 -> 1 = 'null')`;

/** Whether a pause has not ended, or no more than `days` days ago. */
const isLate = (pause: string, days: string): string => `
(coalesce((${pause} ->> 1)::float8, 'infinity') >= (extract(epoch FROM now())::float8 - ${days}::float8 * 86400) * 1000)`;

/**
 * Those of the pauses (a JSON array) that are kept: without those that ended more than `days` days ago, and the oldest
 * ones joined into one that begins with the first of them, so that there are at most {@link MAX_PAUSES}.
 */
const kept = (pauses: string, days: string): string => `
(SELECT coalesce(jsonb_agg(CASE age WHEN ${String(MAX_PAUSES)} THEN jsonb_set(pause, '{0}', oldest -> 0) ELSE pause END
                           ORDER BY age DESC) FILTER (WHERE age <= ${String(MAX_PAUSES)}), '[]')
   FROM (SELECT pause, row_number() OVER (ORDER BY place DESC) AS age, first_value(pause) OVER (ORDER BY place) AS oldest
           FROM jsonb_array_elements(${pauses}) WITH ORDINALITY AS pauses (pause, place)
          WHERE ${isLate('pause', days)}) late)`;

/** Whether all pauses of a lane `l` are kept as they are. The first one was the first to end. */
const areKept = (days: string): string => `
(jsonb_array_length(l.pauses) <= ${String(MAX_PAUSES)} AND ${isLate('l.pauses -> 0', days)})`;

/** Whether a pause of a lane `l` that begins at `$3` counts as the last one going on. */
const GOES_ON = `
(jsonb_array_length(l.pauses) >= ${String(MAX_PAUSES)} AND $3::float8 - (l.pauses -> -1 ->> 1)::float8 < ${String(NEAR_MS)})`;

/** A pause begins no earlier than the end of the previous one, whatever the caller's clock. */
const PAUSED_AGAIN = `
CASE WHEN ${GOES_ON} THEN jsonb_set(l.pauses, '{-1,1}', 'null')
     ELSE l.pauses || jsonb_build_array(
            jsonb_build_array(greatest($3::float8, (l.pauses -> -1 ->> 1)::float8), NULL)) END`;

const PAUSE = `
INSERT INTO penstock_router.lanes AS l (lane, version, pauses, reason)
VALUES ($1, $2, jsonb_build_array(jsonb_build_array($3::float8, NULL)), $4)
ON CONFLICT (lane) DO UPDATE
   SET version = excluded.version, reason = excluded.reason, pauses = ${kept(PAUSED_AGAIN, '$5')}
 WHERE NOT ${IS_PAUSED}`;

const RESUME = `
UPDATE penstock_router.lanes l
   SET reason = '', version = coalesce($3, l.version),
       pauses = jsonb_set(l.pauses, '{-1,1}', to_jsonb(greatest($2::float8, (l.pauses -> -1 ->> 0)::float8)))
 WHERE l.lane = $1 AND ${IS_PAUSED}`;

/** The lanes of jobs that have ended: nothing resumes one that was paused. A job is recorded before its lane is paused. */
const OF_ENDED_JOBS = `
l.lane LIKE 'job:%'
AND NOT EXISTS (SELECT FROM penstock_router.jobs j WHERE j.id = substr(l.lane, 5) AND j.ended IS NULL)`;

/** The pauses of lanes, which all routers share. */
export class Lanes {
  /** @param keptDays days for which a pause is kept after its end. */
  constructor(
    private readonly database: Database,
    private readonly keptDays: number,
  ) {}

  async list(): Promise<readonly LaneRecord[]> {
    const rows = await this.database.rows<LaneRow>(
      `SELECT lane, pauses, reason, version
         FROM (SELECT l.lane, CASE WHEN ${areKept('$1')} THEN l.pauses ELSE ${kept('l.pauses', '$1')} END AS pauses,
                      l.reason, l.version
                 FROM penstock_router.lanes l WHERE l.pauses <> '[]') listed
        WHERE pauses <> '[]' ORDER BY lane`,
      [this.keptDays],
    );
    return rows.map(({ pauses, ...row }) => ({
      ...row,
      pauses: pauses.map(([fromMs, toMs]) => ({ fromMs, toMs })),
    }));
  }

  async pause(lane: LaneId, version: number, fromMs: number, reason: string): Promise<void> {
    const values = [lane, version, fromMs, cleanText(reason), this.keptDays];
    await this.database.rows(PAUSE, values);
  }

  async resume(lane: LaneId, toMs: number, version?: number): Promise<void> {
    await this.database.rows(RESUME, [lane, toMs, version ?? null]);
  }

  /**
   * Removes old pauses and those beyond the bound, lanes without pauses, and those of jobs that have ended.
   */
  async sweep(): Promise<void> {
    await this.database.rows(`DELETE FROM penstock_router.lanes l WHERE ${OF_ENDED_JOBS}`);
    await this.database.rows(
      `UPDATE penstock_router.lanes l SET pauses = ${kept('l.pauses', '$1')} WHERE NOT ${areKept('$1')}`,
      [this.keptDays],
    );
    await this.database.rows(`DELETE FROM penstock_router.lanes WHERE pauses = '[]'`);
  }
}
