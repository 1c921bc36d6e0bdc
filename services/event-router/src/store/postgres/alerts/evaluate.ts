import { ADVISORY_LOCK } from '@penstock/contracts';
import type { PoolClient } from 'pg';
import type { AlertTurn, Evaluation, WatchedObject } from '../../alerts/alert-store';
import { measure } from './measure';

interface Last {
  readonly isFree: boolean;
  readonly position: number;
  readonly isDue: boolean;
  readonly nowMs: number;
}

/** The lock is tried before the row is read: it is as the evaluation before has left it. */
const LOCK = `SELECT pg_try_advisory_xact_lock($1) AS "isFree"`;
const LAST = `
SELECT position::float8 AS position, measured <= now() - $1 * interval '1 millisecond' AS "isDue",
       floor(extract(epoch FROM now()) * 1000)::float8 AS "nowMs"
  FROM penstock_router.alert_evaluation`;

const NOTE = `
UPDATE penstock_router.alert_evaluation
   SET position = $1, measured = CASE WHEN $2 THEN now() ELSE measured END WHERE position <> $1 OR $2`;

const HOLDING = `SELECT alert, workspace, subject, id FROM penstock_router.alert_holding ORDER BY alert, subject, id`;

const BEGIN = `
INSERT INTO penstock_router.alert_holding (alert, subject, id, workspace)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])`;

const END = `
DELETE FROM penstock_router.alert_holding h
 USING unnest($1::text[], $2::text[], $3::text[]) AS ended (alert, subject, id)
 WHERE h.alert = ended.alert AND h.subject = ended.subject AND h.id = ended.id`;

const NOTIFY = `
INSERT INTO penstock_router.alert_notifications (alert, subject, id, workspace, change, notification, body)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])`;

const placesOf = (objects: readonly WatchedObject[]): string[][] => [
  objects.map(({ alert }) => alert),
  objects.map(({ subject }) => subject),
  objects.map(({ id }) => id),
];

const workspacesOf = (objects: readonly WatchedObject[]): string[] =>
  objects.map(({ workspace }) => workspace);

const record = async (db: PoolClient, turns: readonly AlertTurn[]): Promise<void> => {
  const began = turns.filter(({ change }) => change === 'Began');
  const ended = turns.filter(({ change }) => change === 'Ended');
  const told = turns.flatMap((turn) =>
    turn.notification === null ? [] : [{ ...turn, notification: turn.notification }],
  );
  if (ended.length > 0) await db.query(END, placesOf(ended));
  if (began.length > 0) await db.query(BEGIN, [...placesOf(began), workspacesOf(began)]);
  if (told.length > 0)
    await db.query(NOTIFY, [
      ...placesOf(told),
      workspacesOf(told),
      told.map(({ change }) => change),
      told.map(({ notification }) => notification.id),
      told.map(({ notification }) => notification.body),
    ]);
};

/** See `AlertStore.evaluate`; within a transaction. */
export const evaluate = async (
  db: PoolClient,
  { seen, pipelines, measureMs, decide }: Evaluation,
): Promise<boolean> => {
  const { rows: locks } = await db.query<Pick<Last, 'isFree'>>(LOCK, [
    ADVISORY_LOCK.evaluateAlerts,
  ]);
  if (locks[0]?.isFree !== true) return false;
  const { rows } = await db.query<Omit<Last, 'isFree'>>(LAST, [measureMs]);
  const [last] = rows;
  if (last === undefined || last.position > seen()) return false;
  const measures = last.isDue ? await measure(db, pipelines) : null;
  const { rows: holding } = await db.query<WatchedObject>(HOLDING);
  const position = seen();
  const turns = decide({ nowMs: last.nowMs, holding, measures });
  await db.query(NOTE, [position, last.isDue]);
  await record(db, turns);
  return true;
};
