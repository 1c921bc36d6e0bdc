/**
 * How long deliveries have taken and how often they were retried, and the events of a source. A row of a pipeline and
 * minute holds the buckets of its latencies, ascending, each with its count.
 */
const TABLES = `
CREATE TABLE penstock_router.delivery_times (
  pipeline        text COLLATE "C" NOT NULL,
  minute          integer NOT NULL,
  partition       integer NOT NULL,
  retries         bigint NOT NULL,
  buckets         smallint[] NOT NULL,
  counts          bigint[] NOT NULL,
  PRIMARY KEY (pipeline, minute, partition)
) WITH (fillfactor = 70);

CREATE TABLE penstock_router.source_events (
  source          text COLLATE "C" NOT NULL,
  kind            text NOT NULL,
  minute          integer NOT NULL,
  partition       integer NOT NULL,
  count           bigint NOT NULL,
  PRIMARY KEY (source, minute, kind, partition)
) WITH (fillfactor = 90);
`;

/** Since when the oldest event of a pipeline, or of a destination that is behind, has waited, by partition. */
const WAITING = `
CREATE TABLE penstock_router.waiting (
  partition       integer NOT NULL,
  about           text COLLATE "C" NOT NULL,
  since           timestamptz(3) NOT NULL,
  PRIMARY KEY (partition, about)
);
CREATE INDEX waiting_about ON penstock_router.waiting (about);
`;

/**
 * Finds the rows that are due to be merged, by their tier: see the steps of the roll-up. Merging leaves many dead rows, which
 * are removed before they are a fifth of a large table.
 */
const DUE = `
CREATE INDEX counters_due ON penstock_router.counters (least(partition, 0), minute, pipeline) WHERE partition > -3;
CREATE INDEX bases_due ON penstock_router.bases (least(partition, 0), minute, audience);
CREATE INDEX delivery_times_due
  ON penstock_router.delivery_times (least(partition, 0), minute, pipeline) WHERE partition > -3;
CREATE INDEX source_events_due
  ON penstock_router.source_events (least(partition, 0), minute, source) WHERE partition > -3;

ALTER TABLE penstock_router.counters SET (autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE penstock_router.bases SET (autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE penstock_router.delivery_times SET (autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE penstock_router.source_events SET (autovacuum_vacuum_scale_factor = 0.02);
`;

/** Counts are kept for ever, by minute, hour or day, and merged as they become older. */
export const METRICS_OVER_TIME = `${TABLES}${WAITING}${DUE}`;
