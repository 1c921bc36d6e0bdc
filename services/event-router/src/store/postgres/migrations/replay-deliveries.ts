/**
 * Replays that deliver. Their jobs are of a kind of their own, which earlier routers leave alone; their windows are in
 * `replays`. A pipeline has one replay of any kind at a time. How far one has come in a partition, and its open deliveries
 * there, are written by the commits of the partition's owner; of rejected and parked ones some are kept to be shown.
 */
export const REPLAY_DELIVERIES = `
DROP INDEX penstock_router.jobs_replaying;
CREATE UNIQUE INDEX jobs_replaying ON penstock_router.jobs (pipeline)
 WHERE kind IN ('Replay', 'DeliveringReplay') AND ended IS NULL;

ALTER TABLE penstock_router.replays ADD COLUMN ends_as text NOT NULL DEFAULT 'Cancelled';

CREATE TABLE penstock_router.replay_parts (
  job             text COLLATE "C" NOT NULL REFERENCES penstock_router.replays ON DELETE CASCADE,
  partition       integer NOT NULL,
  position        bigint NOT NULL,
  PRIMARY KEY (job, partition)
) WITH (fillfactor = 50);

CREATE TABLE penstock_router.replay_deliveries (
  job             text COLLATE "C" NOT NULL REFERENCES penstock_router.replays ON DELETE CASCADE,
  partition       integer NOT NULL,
  "offset"        bigint NOT NULL,
  order_key       text COLLATE "C" NOT NULL,
  attempts        integer NOT NULL,
  due             timestamptz NOT NULL,
  PRIMARY KEY (job, partition, "offset")
);

CREATE TABLE penstock_router.replay_failures (
  job             text COLLATE "C" NOT NULL REFERENCES penstock_router.replays ON DELETE CASCADE,
  partition       integer NOT NULL,
  "offset"        bigint NOT NULL,
  state           text NOT NULL,
  step            text NOT NULL,
  code            text NOT NULL,
  reason          text NOT NULL,
  attempts        integer NOT NULL,
  at              timestamptz(3) NOT NULL,
  message_id      text NOT NULL,
  source          text NOT NULL,
  received        timestamptz(3) NOT NULL,
  user_id         text,
  previous_id     text,
  PRIMARY KEY (job, partition, "offset")
);
`;
