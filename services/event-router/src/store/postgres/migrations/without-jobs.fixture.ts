/** Takes back what the migration to jobs has made. */
export const WITHOUT_JOBS = `
  DROP TABLE penstock_router.redrive_stops, penstock_router.redrive_deliveries, penstock_router.job_counts,
    penstock_router.jobs;`;
