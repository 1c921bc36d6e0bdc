/** Takes back what the migration to replays that are shown as runs has made. */
export const WITHOUT_SHOWN_REPLAYS = `
  DROP INDEX penstock_router.replays_to_tell;
  ALTER TABLE penstock_router.replays DROP COLUMN cancelled_by, DROP COLUMN told, DROP COLUMN told_revision,
        DROP COLUMN tell_at, DROP COLUMN is_told;`;
