import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second of /proc, on every Linux of today. */
const TICKS = 100;

const statOf = (pid: number): string[] => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
};

/** The process and all that it has started, so far as they are alive. */
const treeOf = (root: number): number[] => {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc'))
    if (/^\d+$/.test(name))
      try {
        parents.set(Number(name), Number(statOf(Number(name))[1]));
      } catch {
        // It ended while we looked.
      }
  const tree = [root];
  for (const pid of tree)
    for (const [child, parent] of parents) if (parent === pid) tree.push(child);
  return tree;
};

/** Seconds of CPU that the process and its children have used, also those that have ended and been waited for. */
export const cpuSeconds = (pid: number): number =>
  treeOf(pid).reduce((sum, each) => {
    try {
      const ticks = statOf(each).slice(11, 15);
      return ticks.reduce((all, some) => all + Number(some), 0) / TICKS + sum;
    } catch {
      return sum;
    }
  }, 0);

const memoryLine = (pid: number, file: string, name: string): number => {
  const text = readFileSync(`/proc/${pid}/${file}`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) / 1_024;
};

/** MiB of the process at its largest (resident, shared pages included). */
export const peakMiB = (pid: number): number => memoryLine(pid, 'status', 'VmHWM');

/** MiB of the process and its children now, shared pages counted once. */
export const proportionalMiB = (pid: number): number =>
  treeOf(pid).reduce((sum, each) => {
    try {
      return sum + memoryLine(each, 'smaps_rollup', 'Pss');
    } catch {
      return sum;
    }
  }, 0);

/** Seconds of CPU, or process ids, by the name of the process. */
export type Usage = ReadonlyMap<string, number>;

export const usage = (processes: Usage): Usage =>
  new Map([...processes].map(([name, pid]) => [name, cpuSeconds(pid)]));

/** Microseconds of CPU for each of `count` things that were done between the two, by process. */
export const cpuMicrosEach = (before: Usage, after: Usage, count: number): string =>
  [...after]
    .map(([name, seconds]) => {
      const micros = ((seconds - (before.get(name) ?? 0)) * 1e6) / Math.max(1, count);
      return `${name} ${micros.toFixed(0)}`;
    })
    .join(', ');
