/** Whether an open redrive has chosen the dead letter `d`. */
export const IS_CHOSEN = `
EXISTS (SELECT FROM penstock_router.redrive_deliveries r
          JOIN penstock_router.jobs j ON j.id = r.job AND j.ended IS NULL
         WHERE r.partition = d.partition AND r."offset" = d."offset" AND r.pipeline = d.pipeline)`;
