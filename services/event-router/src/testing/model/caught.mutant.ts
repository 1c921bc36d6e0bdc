import { itEndsEveryDeliveryOnce } from './model-runs.fixture';

/** Seeds with which a mutant has to be caught; without one, `router-model-1.spec.ts` runs them all. */
itEndsEveryDeliveryOnce({
  firstSeed: 1,
  runs: 400,
  maxFailures: 1,
  file: 'router-model-1.spec',
  project: 'unit',
});
