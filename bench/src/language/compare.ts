import { median } from '../percentile';

const ROUNDS = 9;
const ROUND_MS = 200;

/** A function to measure; one call of it processes `size` units. */
export interface Work {
  readonly size: number;
  readonly run: () => unknown;
}

/** Units per CPU second. */
export interface Comparison {
  readonly ours: number;
  readonly baseline: number;
}

const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** Keeps results alive, so that the engine cannot optimise the work away. */
let sink: unknown;

const rateOf = ({ size, run }: Work): number => {
  let units = 0;
  const start = cpuSeconds();
  const end = performance.now() + ROUND_MS;
  do {
    for (let call = 0; call < 10; call += 1) sink = run();
    units += 10 * size;
  } while (performance.now() < end);
  return units / (cpuSeconds() - start);
};

/** Measures both in turns on this thread. @returns the medians, without the first two rounds. */
export const compare = (ours: Work, baseline: Work): Comparison => {
  const rates = Array.from({ length: ROUNDS }, () => [rateOf(ours), rateOf(baseline)] as const);
  const counted = rates.slice(2);
  if (sink === compare) throw new Error('nothing was run');
  return {
    ours: median(counted.map(([rate]) => rate)),
    baseline: median(counted.map(([, rate]) => rate)),
  };
};
