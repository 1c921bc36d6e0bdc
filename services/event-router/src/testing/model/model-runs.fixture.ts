import { runSeed } from './run-seed.fixture';
import type { WorldOptions } from './world.fixture';

/** Runs of the model in one spec. */
export interface ModelRuns {
  readonly firstSeed: number;
  readonly runs: number;
  /** Stops after this number of failing seeds; default: 3. */
  readonly maxFailures?: number;
  /** Name and project of the spec, for the command that repeats a seed. */
  readonly file: string;
  readonly project: 'unit' | 'integration';
  readonly openStorage?: WorldOptions['openStorage'];
  /** Traits that all runs have; the others are random. */
  readonly traits?: WorldOptions['traits'];
}

const TIMEOUT_MS = 6 * 3_600_000;

/** Whether the long form of the specs runs. */
export const IS_LONG = process.env['PENSTOCK_TEST_LONG'] === '1';

const seedsOf = ({ firstSeed, runs }: ModelRuns): Iterable<number> => {
  const given = process.env['PENSTOCK_TEST_SEED'];
  return given === undefined
    ? Array.from({ length: runs }, (_, index) => firstSeed + index)
    : [Number(given)];
};

/** Yields to the event loop between runs, so that jest can report. */
const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** Runs the seeds and reports, for each that fails, its faults and the command that repeats it. */
export const itEndsEveryDeliveryOnce = (options: ModelRuns): void => {
  const { file, project, openStorage, traits = {}, maxFailures = 3 } = options;
  it(
    'ends every delivery once, in order, whatever fails',
    async () => {
      const failures: string[] = [];
      for (const seed of seedsOf(options)) {
        const faults = await runSeed({ seed, traits, ...(openStorage && { openStorage }) });
        await turn();
        if (faults.length === 0) continue;
        const command = `PENSTOCK_TEST_SEED=${seed} npx jest ${file} --selectProjects ${project}`;
        failures.push(`seed ${seed}: ${faults.join('; ')} (${command})`);
        if (failures.length >= maxFailures) break;
      }
      expect(failures).toEqual([]);
    },
    TIMEOUT_MS,
  );
};
