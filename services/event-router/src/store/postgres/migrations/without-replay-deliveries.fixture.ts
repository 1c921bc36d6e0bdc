/** Takes back what the migration to replays that deliver has made. */
export const WITHOUT_REPLAY_DELIVERIES = `
  DROP TABLE penstock_router.replay_failures, penstock_router.replay_deliveries, penstock_router.replay_parts;
  ALTER TABLE penstock_router.replays DROP COLUMN ends_as;
  DROP INDEX penstock_router.jobs_replaying;
  CREATE UNIQUE INDEX jobs_replaying ON penstock_router.jobs (pipeline) WHERE kind = 'Replay' AND ended IS NULL;`;
