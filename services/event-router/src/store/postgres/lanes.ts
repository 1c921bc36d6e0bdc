import type { LaneId } from '../lane-id';
import { cleanText } from '../clean-text';
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

/** The pauses of a lane `l` without those that ended more than `days` days ago. */
const lately = (days: string): string => `
(SELECT coalesce(jsonb_agg(pause ORDER BY place), '[]')
   FROM jsonb_array_elements(l.pauses) WITH ORDINALITY AS pauses (pause, place)
  WHERE pause -> 1 = 'null' OR (pause ->> 1)::float8 >= (extract(epoch FROM now())::float8 - ${days}::float8 * 86400) * 1000)`;

/** A pause begins no earlier than the end of the previous one, whatever the caller's clock. */
const PAUSE = `
INSERT INTO penstock_router.lanes AS l (lane, version, pauses, reason)
VALUES ($1, $2, jsonb_build_array(jsonb_build_array($3::float8, NULL)), $4)
ON CONFLICT (lane) DO UPDATE
   SET version = excluded.version, reason = excluded.reason,
       pauses = ${lately('$5')} || jsonb_build_array(
         jsonb_build_array(greatest($3::float8, (l.pauses -> -1 ->> 1)::float8), NULL))
 WHERE NOT ${IS_PAUSED}`;

const RESUME = `
UPDATE penstock_router.lanes l
   SET reason = '',
       pauses = jsonb_set(l.pauses, '{-1,1}', to_jsonb(greatest($2::float8, (l.pauses -> -1 ->> 0)::float8)))
 WHERE l.lane = $1 AND ${IS_PAUSED}`;

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
         FROM (SELECT l.lane, ${lately('$1')} AS pauses, l.reason, l.version
                 FROM penstock_router.lanes l WHERE l.pauses <> '[]') lately
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

  async resume(lane: LaneId, toMs: number): Promise<void> {
    await this.database.rows(RESUME, [lane, toMs]);
  }

  /** Removes old pauses, and lanes without pauses that have not used tokens for a day. */
  async sweep(): Promise<void> {
    await this.database.rows(
      `UPDATE penstock_router.lanes l SET pauses = ${lately('$1')}
        WHERE l.pauses <> '[]' AND l.pauses <> ${lately('$1')}`,
      [this.keptDays],
    );
    await this.database.rows(
      `DELETE FROM penstock_router.lanes
        WHERE pauses = '[]' AND tokens_from_ms < (extract(epoch FROM now()) - 86400) * 1000`,
    );
  }
}
