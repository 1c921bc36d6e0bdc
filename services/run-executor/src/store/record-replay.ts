import { RUN_STEPS, type ReplayedRun, type RunFact, type RunId } from '@penstock/contracts';
import type { PoolClient } from 'pg';
import { cleanText } from './clean-text';
import { FACT_OF } from './endings';
import { addFact } from './postgres-ledger';

/** Its lease never lapses, and nothing is left to be done when it has ended: no executor works on it. */
const ACCEPT = `
INSERT INTO penstock_runs.runs (id, workspace, pipeline, connection, pipeline_name, pipeline_version, trigger, replay_mode,
                                requested, status, lease_until, attempt, facts, told, cleaned, sequence)
VALUES ($1, $2, $3, $4, $5, $6, 'Replay', $7, $8, 'Running', 'infinity', 1, 1, true, true, -1)
ON CONFLICT (id) DO NOTHING`;

const HOLD = `
SELECT facts, cancel IS NOT NULL AS "isCancelled" FROM penstock_runs.runs
 WHERE id = $1 AND replay_mode IS NOT NULL AND ended IS NULL AND sequence < $2 FOR UPDATE`;

const CHANGE = `
UPDATE penstock_runs.runs
   SET sequence = $2, passed = $3, failed = $4, rate = $5, eta = $6, total = $7, warnings = $8, cancel = $9, facts = $10,
       status = $11, error = $12, ended = $13
 WHERE id = $1`;

/** What was erased with the events of a user is in no group any more. */
const FORGET_ERRORS = `
DELETE FROM penstock_runs.errors e
 WHERE run = $1 AND NOT EXISTS (SELECT FROM unnest($2::int[], $3::text[], $4::text[]) AS g (step, code, message)
                                 WHERE g.step = e.step AND g.code = e.code AND g.message = e.message)`;

const WRITE_ERRORS = `
INSERT INTO penstock_runs.errors AS e (run, step, code, message, count, samples, first_at, last_at)
SELECT $1, step, code, message, count, ARRAY(SELECT jsonb_array_elements_text(samples)), at, at
  FROM (SELECT step, code, message, sum(count)::bigint AS count, (array_agg(samples))[1] AS samples
          FROM jsonb_to_recordset($2) AS g (step int, code text, message text, count bigint, samples jsonb)
         GROUP BY step, code, message) AS grouped,
       least($3::timestamptz, clock_timestamp()) AS at
ON CONFLICT (run, step, code, md5(message)) DO UPDATE
   SET count = excluded.count, samples = excluded.samples, last_at = excluded.last_at
 WHERE (e.count, e.samples) IS DISTINCT FROM (excluded.count, excluded.samples)`;

const accept = async (db: PoolClient, replay: ReplayedRun): Promise<void> => {
  const { run, workspace, pipeline, connection, pipelineVersion, mode, requestedAt } = replay;
  const pipelineName = cleanText(replay.pipelineName);
  const { rowCount } = await db.query(ACCEPT, [
    ...[run, workspace, pipeline, connection, pipelineName, pipelineVersion, mode, requestedAt],
  ]);
  if (rowCount === 0) return;
  const { from, to, actor } = replay;
  const of = { run, workspace, pipeline, pipelineName, pipelineVersion, mode, requestedAt };
  const data = { ...of, connection, from, to, actor, trigger: 'Replay' } as const;
  await addFact(db, run, 1, { type: 'ReplayAccepted', data }, { actor });
};

const writeErrors = async (db: PoolClient, { run, errors, ending }: ReplayedRun): Promise<void> => {
  const groups = errors.map(({ step, code, message, count, samples }) => ({
    ...{ step: RUN_STEPS.indexOf(step), code, message: cleanText(message) },
    ...{ count, samples: samples.map(cleanText) },
  }));
  await db.query(FORGET_ERRORS, [
    run,
    groups.map(({ step }) => step),
    groups.map(({ code }) => code),
    groups.map(({ message }) => message),
  ]);
  await db.query(WRITE_ERRORS, [run, JSON.stringify(groups), ending?.at ?? null]);
};

/** Facts that the run does not have yet, each with its actor. */
const factsOf = (
  { progress, warnings, cancelledBy, ending }: ReplayedRun,
  isCancelled: boolean,
): { readonly fact: RunFact; readonly actor?: string }[] => {
  const facts: { fact: RunFact; actor?: string }[] = [];
  if (cancelledBy !== null && !isCancelled)
    facts.push({
      fact: { type: 'RunCancelRequested', data: { reason: 'Requested' } },
      actor: cancelledBy,
    });
  if (ending === null) return facts;
  const { passed, failed } = progress;
  const { status, error, at: endedAt } = ending;
  const data = { passed, failed, purged: 0, status, cursor: null, step: null, code: '', error };
  facts.push({ fact: { type: FACT_OF[status], data: { ...data, warnings, endedAt } } });
  return facts;
};

/**
 * Records a replay of events as a router tells of it: the run that it is shown as, its numbers and errors, and the facts
 * that are new. What is outdated, or comes after its end, changes nothing.
 */
export const recordReplay = async (db: PoolClient, replay: ReplayedRun): Promise<void> => {
  const { run, sequence, progress, warnings, cancelledBy, ending } = replay;
  await accept(db, replay);
  const { rows } = await db.query<{ facts: number; isCancelled: boolean }>(HOLD, [run, sequence]);
  const [held] = rows;
  if (held === undefined) return;
  const { passed, failed, rate, eta, total } = progress;
  const facts = factsOf(replay, held.isCancelled);
  const isCancelled = held.isCancelled || cancelledBy !== null;
  await db.query(CHANGE, [
    ...[run, sequence, passed, failed, rate, eta, total, warnings.map(cleanText)],
    ...[isCancelled ? 'Requested' : null, held.facts + facts.length],
    ...[ending?.status ?? 'Running', cleanText(ending?.error ?? ''), ending?.at ?? null],
  ]);
  await writeErrors(db, replay);
  await addFacts(db, run, held.facts, facts);
};

const addFacts = async (
  db: PoolClient,
  run: RunId,
  known: number,
  facts: ReturnType<typeof factsOf>,
): Promise<void> => {
  for (const [index, { fact, actor }] of facts.entries())
    await addFact(db, run, known + index + 1, fact, actor === undefined ? {} : { actor });
};
