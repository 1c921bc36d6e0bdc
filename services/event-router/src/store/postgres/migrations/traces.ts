/**
 * Where the events of a message id are. Routers of the version before leave both columns empty, and know ids by another
 * hash. `traced` says since when they are recorded, `-infinity` in tables that no such router has used; and the hour since
 * 1970 in which the present log began, 0 for the first one: ids that are older belong to another.
 */
const IDS = `
ALTER TABLE penstock_router.messages ADD COLUMN partition integer, ADD COLUMN "offset" bigint;

CREATE TABLE penstock_router.duplicates (
  hour            integer NOT NULL,
  hash            uuid NOT NULL,
  partition       integer NOT NULL,
  "offset"        bigint NOT NULL,
  differs         boolean NOT NULL,
  at              timestamptz(3) NOT NULL
) PARTITION BY RANGE (hour);
CREATE INDEX duplicates_hash ON penstock_router.duplicates (hash, "offset");

CREATE TABLE penstock_router.traced (
  one             boolean PRIMARY KEY DEFAULT true,
  since           timestamptz(3) NOT NULL,
  log_hour        integer NOT NULL DEFAULT 0
);
INSERT INTO penstock_router.traced (since)
SELECT CASE WHEN EXISTS (SELECT FROM penstock_router.partitions) THEN now() ELSE '-infinity' END;

-- Uses the index of ids, whatever the statistics of a new slice are. Of an id that very many events share it looks at some.
CREATE FUNCTION penstock_router.firsts(from_hash uuid, to_hash uuid, since_hour integer, most integer)
RETURNS TABLE (hash uuid, partition integer, "offset" bigint) LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  SELECT found.hash, found.partition, found."offset" FROM (
    SELECT m.hash, m.partition, m."offset", m.hour FROM penstock_router.messages m
     WHERE m.hash BETWEEN from_hash AND to_hash AND m.hour >= since_hour AND m."offset" IS NOT NULL
       AND m.hour >= (SELECT log_hour FROM penstock_router.traced)
     LIMIT 50 * most) found
   ORDER BY found.hour DESC, found."offset" DESC LIMIT most
$$;
`;

/**
 * One packed row a partition and commit: which attempts have failed. And which commits have recorded an outcome or a
 * failed attempt of a block of offsets: a commit writes as many of these rows as its offsets lie in different blocks.
 */
const TRAILS = `
CREATE TABLE penstock_router.attempts (
  day             integer NOT NULL,
  partition       integer NOT NULL,
  epoch           bigint NOT NULL,
  sequence        bigint NOT NULL,
  data            text NOT NULL,
  PRIMARY KEY (partition, epoch, sequence, day)
) PARTITION BY RANGE (day);

CREATE TABLE penstock_router.trails (
  day             integer NOT NULL,
  partition       integer NOT NULL,
  block           bigint NOT NULL,
  epoch           bigint NOT NULL,
  sequence        bigint NOT NULL,
  PRIMARY KEY (partition, block, epoch, sequence, day)
) PARTITION BY RANGE (day);
`;

/** What became of one event can be found: where it is, its duplicates, its failed attempts and its endings. */
export const TRACES = `${IDS}${TRAILS}`;
