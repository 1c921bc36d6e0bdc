/**
 * Replays are shown as runs by the executors, whom routers tell of them. `told`: the number of the newest telling;
 * `told_revision`: the revision of which it has told; `tell_at`: when they are told again; `is_told`: they know its end.
 * `cancelled_by`: the API key that has cancelled it. Nothing of it concerns earlier routers.
 */
export const SHOWN_REPLAYS = `
ALTER TABLE penstock_router.replays
  ADD COLUMN cancelled_by text,
  ADD COLUMN told integer NOT NULL DEFAULT 0,
  ADD COLUMN told_revision bigint NOT NULL DEFAULT -1,
  ADD COLUMN tell_at timestamptz NOT NULL DEFAULT '-infinity',
  ADD COLUMN is_told boolean NOT NULL DEFAULT false;
CREATE INDEX replays_to_tell ON penstock_router.replays (tell_at) WHERE NOT is_told;
`;
