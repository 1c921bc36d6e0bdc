import { median } from '../percentile';

const ROUNDS = 9;
const ROUND_MS = 200;

/** Work of which one call does `size` units. */
export interface Work {
  readonly size: number;
  readonly run: () => unknown;
}

/** Units a CPU second. */
export interface Comparison {
  readonly ours: number;
  readonly baseline: number;
}

const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** Keeps results alive, so that no work can be left out. */
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

/** Both in turns on this thread, the first rounds not counted: the medians of what each does. */
export const compare = (ours: Work, baseline: Work): Comparison => {
  const rates = Array.from({ length: ROUNDS }, () => [rateOf(ours), rateOf(baseline)] as const);
  const counted = rates.slice(2);
  if (sink === compare) throw new Error('nothing was run');
  return {
    ours: median(counted.map(([rate]) => rate)),
    baseline: median(counted.map(([, rate]) => rate)),
  };
};
