import { runSeed } from './run-seed.fixture';

/** Set by the environment of mutants. */
declare const isMutant: boolean;
/** Seeds that are known to catch the mutant; without a mutant, to catch any. */
declare const mutantSeeds: readonly number[];

/** Seeds that are tried for a mutant without a known one; `router-model-1.spec.ts` runs them without a mutant. */
const RUNS = 400;
const TIMEOUT_MS = 600_000;

it(
  'ends every delivery once, in order, whatever fails',
  async () => {
    const others = Array.from({ length: isMutant ? RUNS : 1 }, (_, index) => index + 1);
    for (const seed of new Set([...mutantSeeds, ...others])) {
      const faults = await runSeed({ seed, traits: {} });
      if (faults.length > 0) throw new Error(`seed ${seed}: ${faults.join('; ')}`);
    }
  },
  TIMEOUT_MS,
);
