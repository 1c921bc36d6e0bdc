/** Takes back what the migration to replays has made. */
export const WITHOUT_REPLAYS = `
  DROP TABLE penstock_router.replay_differences, penstock_router.replays;
  DROP INDEX penstock_router.jobs_replaying;`;
