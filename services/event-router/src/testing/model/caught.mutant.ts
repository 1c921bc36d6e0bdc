import { itEndsEveryDeliveryOnce } from './model-runs.fixture';

/** Runs the seeds that must catch a mutant; `router-model-1.spec.ts` runs the same ones without a mutant. */
itEndsEveryDeliveryOnce({
  firstSeed: 1,
  runs: 400,
  maxFailures: 1,
  file: 'router-model-1.spec',
  project: 'unit',
});
