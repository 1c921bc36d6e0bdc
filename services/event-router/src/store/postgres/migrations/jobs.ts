/**
 * What routers were asked to do with the deliveries of pipelines. `place` is how far its preparation has come. Its
 * counts have one row for each partition, so that the commits of different partitions do not wait for each other.
 */
const ALL_JOBS = `
CREATE TABLE penstock_router.jobs (
  id              text COLLATE "C" PRIMARY KEY,
  kind            text NOT NULL,
  workspace       text NOT NULL,
  pipeline        text NOT NULL,
  request         text NOT NULL,
  actor           text NOT NULL,
  command         text NOT NULL UNIQUE,
  state           text NOT NULL,
  place           text NOT NULL DEFAULT '',
  created         timestamptz NOT NULL DEFAULT now(),
  ended           timestamptz
);
CREATE INDEX jobs_of_pipeline ON penstock_router.jobs (workspace, pipeline, kind, id);
CREATE INDEX jobs_open ON penstock_router.jobs (id) WHERE ended IS NULL;
CREATE INDEX jobs_ended ON penstock_router.jobs (ended) WHERE ended IS NOT NULL;

CREATE TABLE penstock_router.job_counts (
  job             text COLLATE "C" NOT NULL REFERENCES penstock_router.jobs ON DELETE CASCADE,
  partition       integer NOT NULL,
  name            text NOT NULL,
  count           bigint NOT NULL,
  PRIMARY KEY (job, partition, name)
) WITH (fillfactor = 50);
`;

/**
 * The dead letters that redrives have chosen and not ended. They stay dead letters until then: routers of version 5 see
 * nothing of a redrive. Rows of a job that has ended mean nothing. The owner of a partition, under its epoch, has
 * stopped working on a cancelled job.
 */
const REDRIVES = `
CREATE TABLE penstock_router.redrive_deliveries (
  partition       integer NOT NULL,
  "offset"        bigint NOT NULL,
  pipeline        text COLLATE "C" NOT NULL,
  job             text COLLATE "C" NOT NULL,
  order_key       text COLLATE "C" NOT NULL,
  attempts        integer NOT NULL DEFAULT 0,
  due             timestamptz NOT NULL DEFAULT 'epoch',
  reason          text NOT NULL DEFAULT '',
  PRIMARY KEY (partition, "offset", pipeline)
);
CREATE INDEX redrive_deliveries_of_job
  ON penstock_router.redrive_deliveries (job, partition, order_key, "offset", pipeline);

CREATE TABLE penstock_router.redrive_stops (
  job             text COLLATE "C" NOT NULL REFERENCES penstock_router.jobs ON DELETE CASCADE,
  partition       integer NOT NULL,
  epoch           bigint NOT NULL,
  PRIMARY KEY (job, partition)
);
`;

/** Jobs, and the deliveries that redrives have chosen. */
export const JOBS = `${ALL_JOBS}${REDRIVES}`;
