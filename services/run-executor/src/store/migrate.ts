import { ADVISORY_LOCK } from '@penstock/contracts';
import type { PoolClient } from 'pg';
import type { Database } from './database';

/**
 * Runs as the fold of their facts, the facts themselves, and why records failed. `definition`: the version of the
 * pipeline, as JSON; null until it is found. `next_batch`: the first number that the present claim may give to a batch.
 * `unsettled`: numbers of batches that earlier claims may have written and never settled. `told`: whether the pipeline
 * service has recorded the end; `cleaned`: whether the warehouse has forgotten what the run has seen.
 */
const VERSION_1 = `
CREATE TABLE penstock_runs.runs (
  id               text COLLATE "C" PRIMARY KEY,
  workspace        text COLLATE "C" NOT NULL,
  pipeline         text COLLATE "C" NOT NULL,
  connection       text NOT NULL,
  pipeline_name    text NOT NULL,
  pipeline_version integer NOT NULL,
  definition       text,
  trigger          text NOT NULL,
  incremental      boolean NOT NULL,
  starting_cursor  text,
  requested        timestamptz NOT NULL,
  status           text NOT NULL DEFAULT 'Queued',
  cancel           text,
  cancel_at        timestamptz,
  worker           text NOT NULL DEFAULT '',
  epoch            bigint NOT NULL DEFAULT 0,
  lease_until      timestamptz,
  attempt          integer NOT NULL DEFAULT 0,
  facts            integer NOT NULL DEFAULT 0,
  sequence         integer NOT NULL DEFAULT 0,
  next_batch       integer NOT NULL DEFAULT 1,
  reading_from     integer NOT NULL DEFAULT 1,
  unsettled        integer[] NOT NULL DEFAULT '{}',
  position         text NOT NULL DEFAULT '{"kind":"start"}',
  cursor           text,
  passed           bigint[] NOT NULL DEFAULT '{0,0,0,0,0,0}',
  failed           bigint[] NOT NULL DEFAULT '{0,0,0,0,0,0}',
  duplicates       bigint NOT NULL DEFAULT 0,
  without_id       bigint NOT NULL DEFAULT 0,
  warnings         text[] NOT NULL DEFAULT '{}',
  purged           bigint NOT NULL DEFAULT 0,
  error            text NOT NULL DEFAULT '',
  ended            timestamptz,
  told             boolean NOT NULL DEFAULT false,
  cleaned          boolean NOT NULL DEFAULT false
);
CREATE INDEX runs_of_workspace ON penstock_runs.runs (workspace, id);
CREATE INDEX runs_of_pipeline ON penstock_runs.runs (pipeline, id);
CREATE INDEX runs_live ON penstock_runs.runs (workspace, id) WHERE ended IS NULL;
CREATE INDEX runs_to_finish ON penstock_runs.runs (id) WHERE ended IS NOT NULL AND NOT (told AND cleaned);

CREATE TABLE penstock_runs.facts (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run       text COLLATE "C" NOT NULL REFERENCES penstock_runs.runs ON DELETE CASCADE,
  number    integer NOT NULL,
  at        timestamptz NOT NULL DEFAULT clock_timestamp(),
  actor     text NOT NULL,
  type      text NOT NULL,
  data      text NOT NULL,
  received  bigint NOT NULL DEFAULT 0,
  published boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX facts_of_run ON penstock_runs.facts (run, number);
CREATE INDEX facts_to_publish ON penstock_runs.facts (id) WHERE NOT published;

CREATE TABLE penstock_runs.errors (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run       text COLLATE "C" NOT NULL REFERENCES penstock_runs.runs ON DELETE CASCADE,
  step      integer NOT NULL,
  code      text NOT NULL,
  message   text NOT NULL,
  count     bigint NOT NULL,
  first_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  samples   text[] NOT NULL
);
CREATE UNIQUE INDEX errors_of_run ON penstock_runs.errors (run, step, code, md5(message));

CREATE TABLE penstock_runs.turns (
  workspace text COLLATE "C" PRIMARY KEY,
  served    bigint NOT NULL
);
CREATE SEQUENCE penstock_runs.serving;

CREATE TABLE penstock_runs.published (
  topic      text PRIMARY KEY,
  end_offset bigint NOT NULL
);
`;

/**
 * How far the source of a live run was read: records that it has in all, and the part of it that was read. When what lost
 * writers have left in a warehouse was removed last.
 */
const VERSION_2 = `
ALTER TABLE penstock_runs.runs ADD COLUMN total bigint, ADD COLUMN share double precision;

CREATE TABLE penstock_runs.sweeps (
  workspace text COLLATE "C" PRIMARY KEY,
  at        timestamptz NOT NULL
);
`;

/**
 * Replays of events, as routers have told of them: `replay_mode` is null for every other run. No executor claims them; what
 * an earlier one would do for an ended run is recorded as done. `sequence` is the number of the newest telling.
 */
const VERSION_3 = `
ALTER TABLE penstock_runs.runs ADD COLUMN replay_mode text, ADD COLUMN rate float8, ADD COLUMN eta float8,
      ALTER COLUMN pipeline_version DROP NOT NULL, ALTER COLUMN incremental DROP NOT NULL;
`;

/** When the newest call to the application of a connection may go, and how long after it the next one. */
const VERSION_4 = `
CREATE TABLE penstock_runs.rates (
  connection  text COLLATE "C" PRIMARY KEY,
  workspace   text COLLATE "C" NOT NULL,
  due_ms      float8 NOT NULL,
  interval_ms float8 NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX rates_of_workspace ON penstock_runs.rates (workspace);
`;

/**
 * The latest resolution of identities of each workspace. `version`: of the state of the configuration that has told of it
 * first. `epoch` is that of the workspace, and never begins anew. `due`: nobody claims it before. `must_take_apart`:
 * profiles have still to be taken apart, for this resolution or for one before it that did not come to it. `warned`: when
 * values that too many identities share were looked for. `told`: the
 * pipeline service has recorded the end; `retried`: that it is to be tried again. When
 * a warehouse is to be looked into for identities in events. The turns of organizations.
 */
const VERSION_5 = `
CREATE TABLE penstock_runs.resolutions (
  workspace       text COLLATE "C" PRIMARY KEY,
  organization    text COLLATE "C" NOT NULL,
  resolution      text NOT NULL,
  version         bigint NOT NULL,
  trigger         text NOT NULL,
  is_full         boolean NOT NULL,
  started         timestamptz NOT NULL,
  cancel_at       timestamptz,
  worker          text NOT NULL DEFAULT '',
  epoch           bigint NOT NULL DEFAULT 0,
  lease_until     timestamptz,
  due             timestamptz NOT NULL DEFAULT clock_timestamp(),
  failures        integer NOT NULL DEFAULT 0,
  trouble_since   timestamptz,
  must_take_apart boolean NOT NULL,
  identities      bigint NOT NULL DEFAULT 0,
  created         bigint NOT NULL DEFAULT 0,
  merged          bigint NOT NULL DEFAULT 0,
  split           bigint NOT NULL DEFAULT 0,
  deleted         bigint NOT NULL DEFAULT 0,
  pending         bigint NOT NULL DEFAULT 0,
  warnings        text,
  warned          timestamptz,
  status          text,
  error           text NOT NULL DEFAULT '',
  ended           timestamptz,
  told            boolean NOT NULL DEFAULT false,
  retried         boolean NOT NULL DEFAULT false
);
CREATE INDEX resolutions_live ON penstock_runs.resolutions (organization) WHERE ended IS NULL;
CREATE INDEX resolutions_to_tell ON penstock_runs.resolutions (ended) WHERE ended IS NOT NULL AND NOT told;
CREATE INDEX resolutions_to_retry ON penstock_runs.resolutions (ended) WHERE status = 'Failed' AND told AND NOT retried;

CREATE TABLE penstock_runs.event_looks (
  workspace text COLLATE "C" PRIMARY KEY,
  due       timestamptz NOT NULL
);

CREATE TABLE penstock_runs.resolution_turns (
  organization text COLLATE "C" PRIMARY KEY,
  served       bigint NOT NULL
);
`;

/**
 * Hashes of the keys that the rows of a live export have taken, so that a second profile with one of them is found. `batch`:
 * which has taken it.
 */
const VERSION_6 = `
CREATE TABLE penstock_runs.export_keys (
  run     text COLLATE "C" NOT NULL REFERENCES penstock_runs.runs ON DELETE CASCADE,
  key     bytea NOT NULL,
  batch   integer NOT NULL,
  profile text NOT NULL,
  PRIMARY KEY (run, key)
);
CREATE INDEX export_keys_of_batch ON penstock_runs.export_keys (run, batch);
`;

/**
 * Erasures of people, and what they have erased. `epoch`: under which the warehouse is written. `due`: nobody claims it before.
 * `error`: why it has failed, or what it waits for. `told`: the pipeline service has recorded the end.
 */
const VERSION_7 = `
CREATE TABLE penstock_runs.erasures (
  erasure      text COLLATE "C" PRIMARY KEY,
  workspace    text COLLATE "C" NOT NULL,
  organization text COLLATE "C" NOT NULL,
  profile      text NOT NULL,
  requested    timestamptz NOT NULL,
  worker       text NOT NULL DEFAULT '',
  epoch        bigint NOT NULL DEFAULT 0,
  lease_until  timestamptz,
  due          timestamptz NOT NULL DEFAULT clock_timestamp(),
  failures     integer NOT NULL DEFAULT 0,
  profiles     bigint NOT NULL DEFAULT 0,
  identities   bigint NOT NULL DEFAULT 0,
  history      bigint NOT NULL DEFAULT 0,
  events       bigint NOT NULL DEFAULT 0,
  samples      bigint NOT NULL DEFAULT 0,
  error        text NOT NULL DEFAULT '',
  ended        timestamptz,
  told         boolean NOT NULL DEFAULT false
);
CREATE INDEX erasures_of_workspace ON penstock_runs.erasures (workspace);
CREATE INDEX erasures_live ON penstock_runs.erasures (workspace) WHERE ended IS NULL;
CREATE INDEX erasures_to_tell ON penstock_runs.erasures (ended) WHERE ended IS NOT NULL AND NOT told;
`;

/** `held_until`: who has taken the look works on it until then; due at infinity: it has not said when the next one is due. */
const VERSION_8 = `
ALTER TABLE penstock_runs.event_looks ADD COLUMN held_until timestamptz NOT NULL DEFAULT '-infinity';
CREATE INDEX event_looks_due ON penstock_runs.event_looks (due);
`;

/**
 * Keys are taken only while the row of their run is locked, and removed with it: to look for the run once more for each of them
 * took a third of the time.
 */
const VERSION_9 = `
ALTER TABLE penstock_runs.export_keys DROP CONSTRAINT export_keys_run_fkey;
`;

/**
 * Pipelines that write identities. Of those that were `deleted` all that they have written is removed from the warehouse, of
 * others the properties that they write no more are cleared: `lost`, by their paths. `version`, `properties`: the newest that
 * is known of one that was not deleted, and the paths that it writes. `owed`: it is to be done, or once more. `pass`: how often
 * it was done. `due`: nobody claims it before. `epoch`: under which the warehouse is written. `has_changed`: something was
 * removed, so that identities are to be resolved. `error`: what it waits for.
 */
const VERSION_10 = `
CREATE TABLE penstock_runs.removals (
  pipeline    text COLLATE "C" PRIMARY KEY,
  workspace   text COLLATE "C" NOT NULL,
  deleted     boolean NOT NULL,
  version     integer NOT NULL DEFAULT 0,
  properties  text[] NOT NULL DEFAULT '{}',
  lost        text[] NOT NULL DEFAULT '{}',
  owed        boolean NOT NULL,
  pass        integer NOT NULL DEFAULT 0,
  has_changed boolean NOT NULL DEFAULT false,
  worker      text NOT NULL DEFAULT '',
  epoch       bigint NOT NULL DEFAULT 0,
  lease_until timestamptz,
  due         timestamptz NOT NULL DEFAULT clock_timestamp(),
  failures    integer NOT NULL DEFAULT 0,
  error       text NOT NULL DEFAULT ''
);
CREATE INDEX removals_of_workspace ON penstock_runs.removals (workspace);
CREATE INDEX removals_due ON penstock_runs.removals (due) WHERE owed;
CREATE INDEX removals_owed ON penstock_runs.removals (workspace, due, pipeline) WHERE owed;
CREATE INDEX removals_held ON penstock_runs.removals (workspace, lease_until) WHERE owed;
`;

/**
 * Keys of batches that were never settled are looked for among all of their run: once a claim, where the index took a sixth of
 * the time of each key.
 */
const VERSION_11 = `
DROP INDEX penstock_runs.export_keys_of_batch;
`;

/**
 * What is left to be done for ended runs has an index for each kind: where a warehouse stays away, runs that nobody can clean
 * up after grow in number for ever. Runs of a status are found among many.
 */
const VERSION_12 = `
CREATE INDEX runs_to_tell ON penstock_runs.runs (id) WHERE ended IS NOT NULL AND NOT told;
CREATE INDEX runs_to_clean ON penstock_runs.runs (workspace, id) WHERE ended IS NOT NULL AND told AND NOT cleaned;
CREATE INDEX runs_uncleaned ON penstock_runs.runs (pipeline) WHERE ended IS NOT NULL AND NOT cleaned;
CREATE INDEX runs_of_status ON penstock_runs.runs (workspace, status, id);
DROP INDEX penstock_runs.runs_to_finish;
`;

/**
 * After a reading that has begun anew, records are counted by what is known of them, and for one of the reasons that are on
 * record. `earlier`: records that earlier readings have counted here. `known`: those of the count that are known from there.
 * `again`: how often a record was explained here of which that is not known. `without_id`: those of the count that nothing
 * is known of later.
 */
const VERSION_13 = `
ALTER TABLE penstock_runs.errors ADD COLUMN earlier bigint NOT NULL DEFAULT 0, ADD COLUMN known bigint NOT NULL DEFAULT 0,
      ADD COLUMN again bigint NOT NULL DEFAULT 0, ADD COLUMN without_id bigint NOT NULL DEFAULT 0;
`;

/** The mode whose change has cancelled a run: null for other reasons, and of cancels that earlier releases have recorded. */
const VERSION_14 = `
ALTER TABLE penstock_runs.runs ADD COLUMN cancel_mode text;
`;

/** Where the source has some of the records of an error, such as the lines of a file. */
const VERSION_15 = `
ALTER TABLE penstock_runs.errors ADD COLUMN places text[] NOT NULL DEFAULT '{}';
`;

/**
 * What runs have counted that were deleted after their retention, by the day (UTC) on which they ended. Steps are numbered
 * from 1. The view has the counts of all runs that have ended.
 */
const VERSION_16 = `
CREATE TABLE penstock_runs.past_counts (
  workspace text COLLATE "C" NOT NULL,
  pipeline  text COLLATE "C" NOT NULL,
  day       date NOT NULL,
  step      smallint NOT NULL,
  passed    bigint NOT NULL,
  failed    bigint NOT NULL,
  PRIMARY KEY (pipeline, day, step)
);
CREATE INDEX past_counts_of_workspace ON penstock_runs.past_counts (workspace);
CREATE INDEX runs_to_forget ON penstock_runs.runs (ended) WHERE told AND cleaned;

CREATE FUNCTION penstock_runs.day_of(timestamptz) RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
  $$ SELECT ($1 AT TIME ZONE 'UTC')::date $$;

CREATE VIEW penstock_runs.pipeline_counts AS
SELECT workspace, pipeline, day, step, sum(passed) AS passed, sum(failed) AS failed FROM (
  SELECT workspace, pipeline, day, step, passed, failed FROM penstock_runs.past_counts
  UNION ALL
  SELECT workspace, pipeline, penstock_runs.day_of(ended), step::smallint, c.passed, c.failed
    FROM penstock_runs.runs r CROSS JOIN unnest(r.passed, r.failed) WITH ORDINALITY AS c (passed, failed, step)
   WHERE ended IS NOT NULL
) AS counts GROUP BY workspace, pipeline, day, step;
`;

/** What functions have thrown for samples of an error, sealed, by sample. */
const VERSION_17 = `
ALTER TABLE penstock_runs.errors ADD COLUMN texts jsonb NOT NULL DEFAULT '{}';
`;

/** What a live run waits for, as JSON, and all reasons for which it has waited: shown among its warnings. */
const VERSION_18 = `
ALTER TABLE penstock_runs.runs ADD COLUMN waiting text, ADD COLUMN waited text[] NOT NULL DEFAULT '{}';
`;

/** The n-th step, counted from 1, migrates the tables from version n - 1 to version n. */
const STEPS: readonly string[] = [
  VERSION_1,
  VERSION_2,
  VERSION_3,
  VERSION_4,
  VERSION_5,
  VERSION_6,
  VERSION_7,
  VERSION_8,
  VERSION_9,
  VERSION_10,
  VERSION_11,
  VERSION_12,
  VERSION_13,
  VERSION_14,
  VERSION_15,
  VERSION_16,
  VERSION_17,
  VERSION_18,
];

/** Runs the next step. @returns whether there are more. */
const takeStep = async (db: PoolClient): Promise<boolean> => {
  await db.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCK.prepareExecutor]);
  await db.query(`
    CREATE SCHEMA IF NOT EXISTS penstock_runs;
    CREATE TABLE IF NOT EXISTS penstock_runs.migrations (
      version integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())`);
  const { rows } = await db.query<{ version: number }>(
    'SELECT coalesce(max(version), 0) AS version FROM penstock_runs.migrations',
  );
  const version = rows[0]?.version ?? 0;
  if (version > STEPS.length)
    throw new Error(
      `the tables of runs are of version ${String(version)}, which a newer release has made; this one knows them up to version ${String(STEPS.length)}`,
    );
  const step = STEPS[version];
  if (step === undefined) return false;
  await db.query(step);
  await db.query('INSERT INTO penstock_runs.migrations (version) VALUES ($1)', [version + 1]);
  return version + 1 < STEPS.length;
};

/**
 * Migrates the tables to the current version, with one transaction per step. Concurrent processes take turns.
 *
 * @throws Error when a newer release has created the tables.
 */
export const migrate = async (database: Database): Promise<void> => {
  while (await database.transaction(takeStep));
};
