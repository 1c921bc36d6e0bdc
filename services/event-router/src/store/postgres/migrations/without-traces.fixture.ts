/** Takes back what makes traces possible. */
export const WITHOUT_TRACES = `
  DROP TABLE penstock_router.attempts, penstock_router.trails, penstock_router.duplicates, penstock_router.traced;
  DROP FUNCTION penstock_router.firsts;
  ALTER TABLE penstock_router.messages DROP COLUMN partition, DROP COLUMN "offset";`;
