/**
 * The router's own tables. `deliveries` holds what waits and what ended badly; the body of an event is stored once
 * for all its deliveries. `messages` remembers message ids in a table an hour, so that forgetting is a DROP.
 */
export const TABLES = `
CREATE SCHEMA IF NOT EXISTS penstock_router;

CREATE TABLE IF NOT EXISTS penstock_router.partitions (
  partition       integer PRIMARY KEY,
  epoch           bigint NOT NULL DEFAULT 0,
  owner           jsonb,
  until           timestamptz NOT NULL DEFAULT '-infinity',
  settled_by      timestamptz NOT NULL DEFAULT '-infinity',
  next            bigint NOT NULL DEFAULT 0,
  beyond          int8multirange NOT NULL DEFAULT '{}'
);

CREATE TABLE IF NOT EXISTS penstock_router.counters (
  pipeline        text NOT NULL,
  minute          integer NOT NULL,
  state           text NOT NULL,
  step            text NOT NULL,
  code            text NOT NULL,
  partition       integer NOT NULL,
  count           bigint NOT NULL,
  PRIMARY KEY (pipeline, minute, state, step, code, partition)
);

CREATE TABLE IF NOT EXISTS penstock_router.messages (
  hash            uuid NOT NULL,
  digest          text NOT NULL,
  hour            integer NOT NULL
) PARTITION BY RANGE (hour);
CREATE INDEX IF NOT EXISTS messages_hash ON penstock_router.messages (hash);

CREATE TABLE IF NOT EXISTS penstock_router.bodies (
  partition       integer NOT NULL,
  "offset"        bigint NOT NULL,
  body            text NOT NULL,
  PRIMARY KEY (partition, "offset")
);

CREATE TABLE IF NOT EXISTS penstock_router.deliveries (
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
CREATE INDEX IF NOT EXISTS deliveries_waiting
  ON penstock_router.deliveries (partition, lane, order_key, "offset", pipeline) WHERE state = 'Waiting';
CREATE INDEX IF NOT EXISTS deliveries_ended
  ON penstock_router.deliveries (changed) WHERE state <> 'Waiting';
`;

/** Hours since 1970. */
export const hourOf = (epochMs: number): number => Math.floor(epochMs / 3_600_000);

const PREFIX = 'messages_';

export const messagesTable = (hour: number): string => `${PREFIX}${String(hour)}`;

export const createMessagesTable = (hour: number): string => `
CREATE TABLE IF NOT EXISTS penstock_router.${messagesTable(hour)}
  PARTITION OF penstock_router.messages FOR VALUES FROM (${String(hour)}) TO (${String(hour + 1)})`;

/** @returns undefined for a table that holds something else. */
export const hourOfTable = (table: string): number | undefined =>
  new RegExp(`^${PREFIX}(\\d+)$`).test(table) ? Number(table.slice(PREFIX.length)) : undefined;
