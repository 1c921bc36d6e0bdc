/**
 * How far replays are, with the lease of the router that works on each, and examples of their differences. A pipeline has
 * one running replay at most. Nothing of it concerns earlier routers.
 */
export const REPLAYS = `
CREATE UNIQUE INDEX jobs_replaying ON penstock_router.jobs (pipeline) WHERE kind = 'Replay' AND ended IS NULL;

CREATE TABLE penstock_router.replays (
  job             text COLLATE "C" PRIMARY KEY REFERENCES penstock_router.jobs ON DELETE CASCADE,
  reason          text NOT NULL DEFAULT '',
  starts          bigint[] NOT NULL,
  ends            bigint[] NOT NULL,
  positions       bigint[] NOT NULL,
  counts          jsonb NOT NULL,
  kept            jsonb NOT NULL,
  rate            float8 NOT NULL DEFAULT 0,
  owner           text NOT NULL DEFAULT '',
  epoch           bigint NOT NULL DEFAULT 0,
  revision        bigint NOT NULL DEFAULT 0,
  leased_until    timestamptz NOT NULL DEFAULT '-infinity',
  served          timestamptz NOT NULL DEFAULT '-infinity'
);

CREATE TABLE penstock_router.replay_differences (
  job             text COLLATE "C" NOT NULL REFERENCES penstock_router.replays ON DELETE CASCADE,
  partition       integer NOT NULL,
  "offset"        bigint NOT NULL,
  kind            text NOT NULL,
  message_id      text NOT NULL,
  source          text NOT NULL,
  received        timestamptz(3) NOT NULL,
  user_id         text,
  previous_id     text,
  before          text,
  now             text,
  PRIMARY KEY (job, partition, "offset")
);
`;
