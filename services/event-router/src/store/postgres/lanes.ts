import type { ConnectionId } from '@penstock/contracts';
import { cleanText } from '../clean-text';
import type { LaneRecord } from '../router-store';
import type { Database } from './sql/database';

interface LaneRow {
  readonly lane: ConnectionId;
  readonly pauses: readonly (readonly [fromMs: number, toMs: number | null])[];
  readonly reason: string;
  readonly version: number;
}

/** Of a lane `l`: its last pause has not ended. */
const IS_PAUSED = `(jsonb_array_length(l.pauses) > 0 AND l.pauses -> -1 -> 1 = 'null')`;

/** Of a lane `l`: its pauses but those that ended more than so many days ago. */
const lately = (days: string): string => `
(SELECT coalesce(jsonb_agg(pause ORDER BY place), '[]')
   FROM jsonb_array_elements(l.pauses) WITH ORDINALITY AS pauses (pause, place)
  WHERE pause -> 1 = 'null' OR (pause ->> 1)::float8 >= (extract(epoch FROM now())::float8 - ${days}::float8 * 86400) * 1000)`;

/** A pause begins where the one before it ended, at the soonest, whatever the clock says. */
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

/** What all routers know of the lanes. */
export class Lanes {
  /** @param keptDays days for which a pause is remembered after its end. */
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

  async pause(lane: ConnectionId, version: number, fromMs: number, reason: string): Promise<void> {
    const values = [lane, version, fromMs, cleanText(reason), this.keptDays];
    await this.database.rows(PAUSE, values);
  }

  async resume(lane: ConnectionId, toMs: number): Promise<void> {
    await this.database.rows(RESUME, [lane, toMs]);
  }

  /** Forgets old pauses, and lanes of which there is nothing else to say. */
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
