import { WITHOUT_JOBS } from './without-jobs.fixture';
import { WITHOUT_TRACES } from './without-traces.fixture';

/** Takes back what the steps after version 5 have made, the newest first. */
export const WITHOUT_LATER = [
  WITHOUT_JOBS,
  WITHOUT_TRACES,
  'DROP TABLE penstock_router.observations;',
].join('\n');
