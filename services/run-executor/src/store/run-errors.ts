import {
  MAX_ERROR_SAMPLES,
  MAX_RUN_ERRORS,
  OTHER_ERRORS,
  RUN_STEPS,
  type RunId,
  type StepCounts,
} from '@penstock/contracts';
import type { PoolClient } from 'pg';
import { type Room, sharedOut } from '../engine/shared-out';
import { INTERRUPTED, MAX_MESSAGE_LENGTH, type TalliedErrors } from '../engine/tally';
import { cleanText } from './clean-text';

const PRESENT =
  'SELECT step, code, md5(message) AS digest, message FROM penstock_runs.errors WHERE run = $1';

const ADD = `
INSERT INTO penstock_runs.errors AS e (run, step, code, message, count, samples, without_id, again, places)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (run, step, code, md5(message)) DO UPDATE
   SET count = e.count + excluded.count, without_id = e.without_id + excluded.without_id, again = e.again + excluded.again,
       last_at = clock_timestamp(), places = (e.places || excluded.places)[1:${String(MAX_ERROR_SAMPLES)}],
       samples = (e.samples || ARRAY(SELECT sample FROM unnest(excluded.samples) WITH ORDINALITY AS each (sample, place)
                                      WHERE sample <> ALL (e.samples) ORDER BY place))[1:${String(MAX_ERROR_SAMPLES)}]`;

/** Of samples alone: an erasure finds by them what it is to erase. */
const ADD_TEXTS = `
UPDATE penstock_runs.errors
   SET texts = (SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each($5::jsonb || texts) WHERE key = ANY (samples))
 WHERE run = $1 AND step = $2 AND code = $3 AND md5(message) = md5($4)`;

const OF_STEP = `
SELECT id, known::float8 AS known, earlier::float8 AS earlier, again::float8 AS again
  FROM penstock_runs.errors WHERE run = $1 AND step = $2 ORDER BY id`;

const RECOUNT = `
UPDATE penstock_runs.errors e
   SET count = e.count - e.known + g.known, known = g.known, last_at = clock_timestamp()
  FROM unnest($1::bigint[], $2::bigint[]) AS g (id, known)
 WHERE e.id = g.id AND e.known <> g.known`;

/** What is known of the records of an import stays, and with it why they failed; nothing is known of those without an id. */
const BEGIN_ANEW = `
UPDATE penstock_runs.errors
   SET earlier = earlier + count - known - without_id, count = 0, known = 0, without_id = 0,
       places = CASE WHEN without_id > 0 THEN '{}' ELSE places END
 WHERE run = $1`;

/** An export knows nothing of what it has read before. */
const FORGET = `
DELETE FROM penstock_runs.errors
 WHERE run = (SELECT id FROM penstock_runs.runs WHERE id = $1 AND incremental IS NULL)`;

interface CountedGroup extends Room {
  readonly id: string;
  /** Records that are counted here by what is known of them. */
  readonly known: number;
}

const groupKey = (step: number, code: string, message: string): string =>
  JSON.stringify([step, code, message]);

/**
 * Merges groups into those of the run; what is beyond the limit of a step is counted as other errors.
 *
 * @param recounted records whose reasons are on record from an earlier reading, by step.
 */
export const addErrors = async (
  db: PoolClient,
  run: RunId,
  groups: readonly TalliedErrors[],
  recounted: StepCounts = [],
): Promise<void> => {
  await merge(db, run, groups);
  for (const [step, of] of RUN_STEPS.entries()) {
    const again = groups.map((group) => (group.step === of ? (group.again ?? 0) : 0));
    const more = again.reduce((sum, count) => sum + count, recounted[step] ?? 0);
    if (more > 0) await recount(db, run, step, more);
  }
};

/** The counters of the run begin at zero: so do its errors. */
export const beginErrorsAnew = async (db: PoolClient, run: RunId): Promise<void> => {
  await db.query(FORGET, [run]);
  await db.query(BEGIN_ANEW, [run]);
};

const merge = async (
  db: PoolClient,
  run: RunId,
  groups: readonly TalliedErrors[],
): Promise<void> => {
  if (groups.length === 0) return;
  const { rows } = await db.query<{ step: number; code: string; message: string }>(PRESENT, [run]);
  const known = new Set(rows.map(({ step, code, message }) => groupKey(step, code, message)));
  const counts = RUN_STEPS.map(
    (_, step) => rows.filter((row) => row.step === step && row.code !== OTHER_ERRORS.code).length,
  );
  for (const group of groups) {
    const step = RUN_STEPS.indexOf(group.step);
    const message = cleanText(group.message).slice(0, MAX_MESSAGE_LENGTH);
    const key = groupKey(step, group.code, message);
    const isOther = !known.has(key) && (counts[step] ?? 0) >= MAX_RUN_ERRORS;
    const { code } = isOther ? OTHER_ERRORS : group;
    if (!known.has(key) && code !== OTHER_ERRORS.code) counts[step] = (counts[step] ?? 0) + 1;
    // What is counted as another error is no message of its own the next time either.
    if (!isOther) known.add(key);
    const samples = group.samples.map(cleanText);
    const text = isOther ? OTHER_ERRORS.message : message;
    const { count, withoutId = 0, again = 0, places = [] } = group;
    const values = [code, text, count - again, samples, withoutId, again, places];
    await db.query(ADD, [run, step, ...values]);
    if (group.texts === undefined) continue;
    const texts = Object.fromEntries([...group.texts].map(([id, each]) => [cleanText(id), each]));
    await db.query(ADD_TEXTS, [run, step, code, text, JSON.stringify(texts)]);
  }
};

/** Counts more records of a step among the reasons that are known there. */
const recount = async (db: PoolClient, run: RunId, step: number, more: number): Promise<void> => {
  const { rows } = await db.query<CountedGroup>(OF_STEP, [run, step]);
  const records = rows.reduce((sum, { known }) => sum + known, more);
  const { known, left } = sharedOut(rows, records);
  await db.query(RECOUNT, [rows.map(({ id }) => id), known]);
  if (left === 0) return;
  const of = RUN_STEPS[step] ?? 'Receive';
  await merge(db, run, [{ ...INTERRUPTED, step: of, count: left, samples: [] }]);
};
