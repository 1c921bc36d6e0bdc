/** Takes back what version 5 has made. */
export const WITHOUT_5 = `
  DROP TABLE penstock_router.accesses;
  DROP TRIGGER fill_delivery ON penstock_router.deliveries;
  DROP FUNCTION penstock_router.fill_delivery, penstock_router.about;
  ALTER TABLE penstock_router.deliveries
    DROP COLUMN workspace, DROP COLUMN source, DROP COLUMN message_id, DROP COLUMN received;
  DROP INDEX IF EXISTS penstock_router.deliveries_of_pipeline, penstock_router.deliveries_of_lane,
    penstock_router.deliveries_of_workspace, penstock_router.audiences_enabled, penstock_router.audiences_disabled;`;
