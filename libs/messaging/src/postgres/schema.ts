/** Advisory lock that serialises making and dropping tables. An arbitrary number that nothing else uses. */
export const TABLES_LOCK = 0x9e575;
/** Advisory lock that lets one process compact at a time. */
export const COMPACTION_LOCK = 0x9e576;

/**
 * All tables of the log, in a schema of its own.
 *
 * `partitions` has one row per partition of a topic: its lock orders the appends, which makes offsets gapless and
 * visible in order. `messages` is partitioned by topic, and for topics with a retention time also by time, so that old
 * messages are dropped with their table. Values are not compressed: they are read soon and often.
 */
export const SCHEMA = `
create schema if not exists penstock_log;

create table if not exists penstock_log.topics (
  id int generated always as identity primary key,
  name text not null unique,
  partitions int not null,
  retention text not null,
  compacted_ms bigint not null default 0
);

create table if not exists penstock_log.partitions (
  id int generated always as identity primary key,
  topic_id int not null references penstock_log.topics,
  partition int not null,
  next_offset bigint not null default 0,
  last_ms bigint not null default 0,
  unique (topic_id, partition)
) with (fillfactor = 20);

create table if not exists penstock_log.messages (
  topic_id int not null,
  partition int not null,
  "offset" bigint not null,
  timestamp_ms bigint not null,
  key text not null,
  value text
) partition by list (topic_id);
alter table penstock_log.messages alter value set storage external;
create index if not exists messages_by_offset on penstock_log.messages (partition, "offset");

create table if not exists penstock_log.members (
  id uuid primary key,
  group_name text not null,
  topic_id int not null references penstock_log.topics,
  joined_at timestamptz not null default clock_timestamp(),
  lease_until timestamptz not null
);

create table if not exists penstock_log.claims (
  group_name text not null,
  topic_id int not null references penstock_log.topics,
  partition int not null,
  position bigint not null default 0,
  member uuid,
  epoch bigint not null default 0,
  primary key (group_name, topic_id, partition)
) with (fillfactor = 50);
`;

/** Returns the table with the messages of a topic. */
export const messagesTable = (topicId: number): string => `penstock_log.messages_${topicId}`;
