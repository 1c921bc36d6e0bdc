/**
 * Replays, with the lease of the router that works on each, and examples of their differences. A pipeline has one running
 * replay at most. Nothing of it concerns earlier routers.
 */
export const REPLAYS = `
CREATE TABLE penstock_router.replays (
  id              text COLLATE "C" PRIMARY KEY,
  command         text UNIQUE,
  workspace       text COLLATE "C" NOT NULL,
  pipeline        text COLLATE "C" NOT NULL,
  actor           text NOT NULL,
  created         timestamptz(3) NOT NULL DEFAULT now(),
  ended           timestamptz(3),
  state           text NOT NULL DEFAULT 'Running',
  reason          text NOT NULL DEFAULT '',
  request         jsonb NOT NULL,
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
CREATE UNIQUE INDEX replays_running ON penstock_router.replays (pipeline) WHERE state = 'Running';
CREATE INDEX replays_of_pipeline ON penstock_router.replays (workspace, pipeline, created, id);
CREATE INDEX replays_ended ON penstock_router.replays (ended);

CREATE TABLE penstock_router.replay_differences (
  replay          text COLLATE "C" NOT NULL REFERENCES penstock_router.replays ON DELETE CASCADE,
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
  PRIMARY KEY (replay, partition, "offset")
);
`;
