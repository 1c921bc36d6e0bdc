import { PIPELINE_COUNTS } from './pipeline-counts';

/**
 * Makes routers of version 1 fail: their statements use columns that the new `partitions` does not have. The migration
 * waits for a commit of theirs that is under way. Their leases are kept, since they may still be sending.
 */
const PARTITIONS = `
LOCK TABLE penstock_router.partitions IN ACCESS EXCLUSIVE MODE;
UPDATE penstock_router.partitions SET epoch = epoch + 1;
ALTER TABLE penstock_router.partitions RENAME TO partitions_1;
ALTER INDEX penstock_router.partitions_pkey RENAME TO partitions_1_pkey;

CREATE TABLE penstock_router.partitions (
  partition       integer PRIMARY KEY,
  epoch           bigint NOT NULL DEFAULT 0,
  member          text,
  process         jsonb,
  until           timestamptz NOT NULL DEFAULT '-infinity',
  free_from       timestamptz NOT NULL DEFAULT '-infinity',
  sequence        bigint NOT NULL DEFAULT 0,
  routed          bigint NOT NULL DEFAULT 0,
  mark_offset     bigint,
  mark_ms         double precision,
  mark_crc        bigint
) WITH (fillfactor = 50);
INSERT INTO penstock_router.partitions (partition, epoch, member, process, until, free_from, routed)
SELECT partition, epoch, CASE WHEN owner IS NOT NULL THEN 'version 1' END, owner, until, settled_by, next
  FROM penstock_router.partitions_1;

-- What routers of version 1 had finished at or above "routed": for one pipeline, or (empty) for all of them.
CREATE TABLE penstock_router.beyond (
  partition       integer NOT NULL,
  first           bigint NOT NULL,
  past            bigint NOT NULL,
  pipeline        text COLLATE "C" NOT NULL,
  PRIMARY KEY (partition, first, pipeline)
);
INSERT INTO penstock_router.beyond (partition, first, past, pipeline)
SELECT partition, lower(range), upper(range), ''
  FROM penstock_router.partitions_1, unnest(beyond) AS range;
INSERT INTO penstock_router.beyond (partition, first, past, pipeline)
SELECT d.partition, d."offset", d."offset" + 1, d.pipeline
  FROM penstock_router.deliveries d JOIN penstock_router.partitions_1 p USING (partition)
 WHERE d."offset" >= p.next AND NOT p.beyond @> d."offset";
`;

const PROGRESS = `
CREATE TABLE penstock_router.log (
  one             boolean PRIMARY KEY DEFAULT true,
  identity        text NOT NULL
);

CREATE TABLE penstock_router.members (
  id              text PRIMARY KEY,
  process         jsonb NOT NULL,
  since           timestamptz NOT NULL DEFAULT now(),
  seen_at         timestamptz NOT NULL DEFAULT now()
);

-- One packed row a commit: what was opened, tried and closed.
CREATE TABLE penstock_router.changes (
  partition       integer NOT NULL,
  sequence        bigint NOT NULL,
  data            text NOT NULL,
  PRIMARY KEY (partition, sequence)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

CREATE TABLE penstock_router.cursors (
  partition       integer NOT NULL,
  lane            text NOT NULL,
  order_key       text NOT NULL,
  position        bigint NOT NULL,
  PRIMARY KEY (partition, lane, order_key)
);

CREATE TABLE penstock_router.repeats (
  partition       integer NOT NULL,
  "offset"        bigint NOT NULL,
  differs         boolean,
  PRIMARY KEY (partition, "offset")
);

CREATE TABLE penstock_router.unreadable (
  partition       integer NOT NULL,
  "offset"        bigint NOT NULL,
  order_key       text NOT NULL,
  value           text NOT NULL,
  reason          text NOT NULL,
  at              timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (partition, "offset", reason)
);

-- One packed row a partition and commit: how deliveries ended.
CREATE TABLE penstock_router.outcomes (
  day             integer NOT NULL,
  partition       integer NOT NULL,
  epoch           bigint NOT NULL,
  sequence        bigint NOT NULL,
  data            text NOT NULL,
  PRIMARY KEY (partition, epoch, sequence, day)
) PARTITION BY RANGE (day);

CREATE TABLE penstock_router.lanes (
  lane            text PRIMARY KEY,
  pauses          jsonb NOT NULL DEFAULT '[]',
  reason          text NOT NULL DEFAULT '',
  version         integer NOT NULL DEFAULT 0,
  tokens_from_ms  double precision NOT NULL DEFAULT 0,
  tokens_given    integer NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
`;

const COUNTS = `
-- "plain": an ending that follows no "Matched", or a "Matched" that no ending follows, from version 1.
ALTER TABLE penstock_router.counters ADD COLUMN plain boolean NOT NULL DEFAULT true;
ALTER TABLE penstock_router.counters ALTER COLUMN plain SET DEFAULT false;
ALTER TABLE penstock_router.counters DROP CONSTRAINT counters_pkey;
ALTER TABLE penstock_router.counters ADD PRIMARY KEY (pipeline, minute, state, step, code, partition, plain);

CREATE TABLE penstock_router.audiences (
  id              uuid PRIMARY KEY,
  enabled         text[] NOT NULL,
  disabled        text[] NOT NULL
);
CREATE TABLE penstock_router.bases (
  audience        uuid NOT NULL,
  kind            text NOT NULL,
  minute          integer NOT NULL,
  partition       integer NOT NULL,
  count           bigint NOT NULL,
  PRIMARY KEY (audience, kind, minute, partition)
);
`;

/**
 * The ending of a waiting delivery will be counted, so that it is counted as matched here, and its event as an event,
 * unless the event is still to be routed. A delivery that has ended although its event is still to be routed is counted
 * as matched too, so that it is not counted as filtered then.
 */
const OLD_ROWS = `
WITH old_rows AS (
  SELECT d.partition, d.pipeline, d.state = 'Waiting' AS waits, b.pipeline IS NOT NULL AS is_ahead,
         floor(extract(epoch FROM d.changed) / 60)::int AS minute
    FROM penstock_router.deliveries d
    LEFT JOIN penstock_router.beyond b
           ON b.partition = d.partition AND b.first = d."offset" AND b.pipeline = d.pipeline
), matched AS (
  INSERT INTO penstock_router.counters (pipeline, minute, state, step, code, partition, count, plain)
  SELECT pipeline, minute, 'Matched', 'Filter', '', partition, count(*), NOT waits
    FROM old_rows WHERE waits OR is_ahead GROUP BY pipeline, minute, partition, waits
), of_one AS (
  INSERT INTO penstock_router.audiences (id, enabled, disabled)
  SELECT DISTINCT md5(pipeline)::uuid, ARRAY[pipeline], ARRAY[]::text[] FROM old_rows WHERE waits AND NOT is_ahead
)
INSERT INTO penstock_router.bases (audience, kind, minute, partition, count)
SELECT md5(pipeline)::uuid, 'New', minute, partition, count(*)
  FROM old_rows WHERE waits AND NOT is_ahead GROUP BY pipeline, minute, partition;

ALTER TABLE penstock_router.deliveries DROP COLUMN first_attempt;
`;

/**
 * The planner has no statistics of a new slice, assumes few distinct ids, and would read all of it. The function's
 * setting makes it use the index without a statement of its own.
 */
const SEEN = `
CREATE FUNCTION penstock_router.seen(hashes uuid[], since_hour integer)
RETURNS TABLE (hash uuid, digest text) LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  SELECT m.hash, m.digest FROM penstock_router.messages m
   WHERE m.hash = ANY (hashes) AND m.hour >= since_hour ORDER BY m.hour
$$;
`;

/** Progress by delivery: each partition continues at its position, without what had ended beyond it. */
export const VERSION_2 = [PARTITIONS, PROGRESS, COUNTS, OLD_ROWS, SEEN, PIPELINE_COUNTS].join('\n');
