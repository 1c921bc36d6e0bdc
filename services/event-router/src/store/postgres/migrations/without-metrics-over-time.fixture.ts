/** Takes back what the step for metrics over time has made. */
export const WITHOUT_METRICS_OVER_TIME = `
  DROP TABLE penstock_router.delivery_times, penstock_router.source_events, penstock_router.waiting;
  DROP INDEX penstock_router.counters_due, penstock_router.bases_due;
  ALTER TABLE penstock_router.counters RESET (autovacuum_vacuum_scale_factor);
  ALTER TABLE penstock_router.bases RESET (autovacuum_vacuum_scale_factor);`;
