import { ADVISORY_LOCK } from '@penstock/contracts';
import {
  AlertStore,
  type AttemptResult,
  type Evaluation,
  type NotificationPage,
  type StoredNotification,
  type TakeLimits,
  type TakenNotification,
  type WatchedObject,
} from '../../alerts/alert-store';
import { cleanText } from '../../clean-text';
import type { Database } from '../sql/database';
import { evaluate } from './evaluate';

/**
 * Goes from workspace to workspace with waiting notifications, through an index, and takes of each what its share has
 * room for. A first one of a workspace comes before a second one of any other.
 */
const TAKE = `
WITH RECURSIVE spaces AS (
  (SELECT workspace FROM penstock_router.alert_notifications WHERE ended IS NULL ORDER BY workspace LIMIT 1)
  UNION ALL
  SELECT (SELECT n.workspace FROM penstock_router.alert_notifications n
           WHERE n.ended IS NULL AND n.workspace > s.workspace ORDER BY n.workspace LIMIT 1)
    FROM spaces s WHERE s.workspace IS NOT NULL
), busy AS (
  SELECT s.workspace, (SELECT count(*) FROM penstock_router.alert_notifications n
                        WHERE n.workspace = s.workspace AND n.ended IS NULL AND n.taken_until > now()) AS number
    FROM spaces s WHERE s.workspace IS NOT NULL
), free AS (
  SELECT due.notification, due.due, due.number,
         busy.number + row_number() OVER (PARTITION BY busy.workspace ORDER BY due.due, due.number) AS turn
    FROM busy CROSS JOIN LATERAL (
      SELECT n.notification, n.due, n.number FROM penstock_router.alert_notifications n
       WHERE n.workspace = busy.workspace AND n.ended IS NULL AND n.due <= now()
         AND NOT EXISTS (SELECT FROM penstock_router.alert_notifications earlier
                          WHERE earlier.alert = n.alert AND earlier.subject = n.subject AND earlier.id = n.id
                            AND earlier.ended IS NULL AND earlier.number < n.number)
       ORDER BY n.due, n.number LIMIT greatest(0, $1 - busy.number)) due
), chosen AS (
  SELECT notification FROM free ORDER BY turn, due, number LIMIT $2
)
UPDATE penstock_router.alert_notifications n
   SET attempts = attempts + 1, due = now() + $3 * interval '1 millisecond', taken_until = now() + $3 * interval '1 millisecond'
  FROM chosen WHERE n.notification = chosen.notification
RETURNING n.notification AS id, n.alert, n.workspace, n.body, n.attempts,
          (extract(epoch FROM now() - n.created) * 1000)::float8 AS "ageMs"`;

const SETTLE = `
UPDATE penstock_router.alert_notifications
   SET state = $3, status = $4, reason = $5, taken_until = '-infinity',
       due = now() + $6 * interval '1 millisecond', ended = CASE WHEN $3 = 'Waiting' THEN NULL ELSE now() END
 WHERE notification = $1 AND ended IS NULL AND (attempts = $2 OR $3 = 'Delivered')`;

const LIST = `
SELECT notification, subject, id, change, state, attempts, status, reason,
       floor(extract(epoch FROM created) * 1000)::float8 AS "createdMs",
       floor(extract(epoch FROM due) * 1000)::float8 AS "dueMs",
       floor(extract(epoch FROM ended) * 1000)::float8 AS "endedMs"
  FROM penstock_router.alert_notifications
 WHERE alert = $1 AND workspace = $2 AND ($3::text IS NULL OR notification < $3)
 ORDER BY notification DESC LIMIT $4`;

/** The tables of alerts. */
export class PostgresAlerts extends AlertStore {
  constructor(private readonly database: Database) {
    super();
  }

  override evaluate(evaluation: Evaluation): Promise<boolean> {
    return this.database.transaction((db) => evaluate(db, evaluation));
  }

  /** One router at a time takes, so that the share of a workspace is never exceeded. */
  override take({ ofWorkspace, most, forMs }: TakeLimits): Promise<readonly TakenNotification[]> {
    return this.database.transaction(async (db) => {
      const { rows: locks } = await db.query<{ isFree: boolean }>(
        `SELECT pg_try_advisory_xact_lock($1) AS "isFree"`,
        [ADVISORY_LOCK.takeNotifications],
      );
      if (locks[0]?.isFree !== true) return [];
      return (await db.query<TakenNotification>(TAKE, [ofWorkspace, most, forMs])).rows;
    });
  }

  override async settle(
    { id, attempts }: Pick<TakenNotification, 'id' | 'attempts'>,
    { state, status, reason, afterMs }: AttemptResult,
  ): Promise<void> {
    const values = [id, attempts, state, status, cleanText(reason), afterMs];
    await this.database.rows(SETTLE, values);
  }

  override list(
    { alert, workspace }: Pick<WatchedObject, 'alert' | 'workspace'>,
    { limit, before }: NotificationPage,
  ): Promise<readonly StoredNotification[]> {
    return this.database.rows(LIST, [alert, workspace, before ?? null, limit]);
  }

  /** Removes notifications that ended so many days ago. */
  async sweep(days: number): Promise<void> {
    await this.database.rows(
      `DELETE FROM penstock_router.alert_notifications WHERE ended < now() - $1 * interval '1 day'`,
      [days],
    );
  }
}
