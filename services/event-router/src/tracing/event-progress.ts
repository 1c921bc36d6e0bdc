import type { PoolClient } from 'pg';
import { UPGRADE_HOURS } from '../store/upgrade-hours';
import type { EventPlace } from './event-place';
import type { DestinationId } from '../store/lane-id';

/** How far the routers are with an event that is neither ended nor stored. */
export interface EventProgress {
  /** Whether the live reader has passed it. */
  readonly isRouted: boolean;
  /** Lanes that have yet to be given the event from the log, or whose key has: they catch up. */
  readonly behind: ReadonlySet<DestinationId>;
  /** Why it was recorded as unreadable; `null`: it was not. */
  readonly unreadable: string | null;
  /**
   * From when on every ending is found, in milliseconds since 1970: routers of a version before have recorded theirs without
   * their place. `-Infinity`: always.
   */
  readonly recordedFromMs: number;
}

interface ProgressRow {
  readonly routed: boolean;
  readonly behind: readonly DestinationId[];
  readonly unreadable: string | null;
  readonly recorded_from_ms: number;
}

const PROGRESS = `
SELECT coalesce((SELECT p.routed > $2 FROM penstock_router.partitions p WHERE p.partition = $1), false) AS routed,
       ARRAY(SELECT DISTINCT c.lane FROM penstock_router.cursors c
              WHERE c.partition = $1 AND c.position <= $2 AND c.order_key = ANY ($3)) AS behind,
       (SELECT u.reason FROM penstock_router.unreadable u
         WHERE u.partition = $1 AND u."offset" = $2 ORDER BY u.reason LIMIT 1) AS unreadable,
       coalesce((SELECT extract(epoch FROM t.since + $4 * interval '1 hour') * 1000
                   FROM penstock_router.traced t)::float8, '-infinity') AS recorded_from_ms`;

/** Reads the progress of an event. @param orderKeys under which its lanes may deliver it in order. */
export const eventProgress = async (
  db: PoolClient,
  { partition, offset }: EventPlace,
  orderKeys: readonly string[],
): Promise<EventProgress> => {
  const values = [partition, offset, ['', ...orderKeys], UPGRADE_HOURS];
  const { rows } = await db.query<ProgressRow>(PROGRESS, values);
  const [row] = rows;
  return {
    isRouted: row?.routed ?? false,
    behind: new Set(row?.behind),
    unreadable: row?.unreadable ?? null,
    recordedFromMs: row?.recorded_from_ms ?? -Infinity,
  };
};
