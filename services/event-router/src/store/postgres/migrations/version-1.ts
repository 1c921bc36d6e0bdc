/** The tables before migrations were recorded: a partition had one position for all of its pipelines. */
export const VERSION_1 = `
CREATE TABLE penstock_router.partitions (
  partition       integer PRIMARY KEY,
  epoch           bigint NOT NULL DEFAULT 0,
  owner           jsonb,
  until           timestamptz NOT NULL DEFAULT '-infinity',
  settled_by      timestamptz NOT NULL DEFAULT '-infinity',
  next            bigint NOT NULL DEFAULT 0,
  beyond          int8multirange NOT NULL DEFAULT '{}'
);

CREATE TABLE penstock_router.counters (
  pipeline        text NOT NULL,
  minute          integer NOT NULL,
  state           text NOT NULL,
  step            text NOT NULL,
  code            text NOT NULL,
  partition       integer NOT NULL,
  count           bigint NOT NULL,
  PRIMARY KEY (pipeline, minute, state, step, code, partition)
);

CREATE TABLE penstock_router.messages (
  hash            uuid NOT NULL,
  digest          text NOT NULL,
  hour            integer NOT NULL
) PARTITION BY RANGE (hour);
CREATE INDEX messages_hash ON penstock_router.messages (hash);

CREATE TABLE penstock_router.bodies (
  partition       integer NOT NULL,
  "offset"        bigint NOT NULL,
  body            text NOT NULL,
  PRIMARY KEY (partition, "offset")
);

CREATE TABLE penstock_router.deliveries (
  partition       integer NOT NULL,
  "offset"        bigint NOT NULL,
  pipeline        text COLLATE "C" NOT NULL,
  version         integer NOT NULL,
  lane            text NOT NULL,
  order_key       text NOT NULL,
  state           text NOT NULL,
  attempts        integer NOT NULL,
  first_attempt   timestamptz NOT NULL,
  due             timestamptz NOT NULL,
  step            text,
  code            text NOT NULL,
  reason          text NOT NULL,
  changed         timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (partition, "offset", pipeline)
);
CREATE INDEX deliveries_waiting
  ON penstock_router.deliveries (partition, lane, order_key, "offset", pipeline) WHERE state = 'Waiting';
CREATE INDEX deliveries_ended
  ON penstock_router.deliveries (changed) WHERE state <> 'Waiting';
`;
