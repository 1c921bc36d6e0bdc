import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks per second in /proc, the same on all current Linux systems. */
const TICKS = 100;

const statOf = (pid: number): string[] => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
};

/** The process and its live descendants. */
const treeOf = (root: number): number[] => {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc'))
    if (/^\d+$/.test(name))
      try {
        parents.set(Number(name), Number(statOf(Number(name))[1]));
      } catch {
        // The process has ended meanwhile.
      }
  const tree = [root];
  for (const pid of tree)
    for (const [child, parent] of parents) if (parent === pid) tree.push(child);
  return tree;
};

/** CPU seconds of the process and its descendants, including children that have ended and been waited for. */
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

/** Peak resident memory of the process in MiB, shared pages included. */
export const peakMiB = (pid: number): number => memoryLine(pid, 'status', 'VmHWM');

/** Current memory of the process and its descendants in MiB, with shared pages counted once. */
export const proportionalMiB = (pid: number): number =>
  treeOf(pid).reduce((sum, each) => {
    try {
      return sum + memoryLine(each, 'smaps_rollup', 'Pss');
    } catch {
      return sum;
    }
  }, 0);

/** CPU seconds, or process ids, by the name of the process. */
export type Usage = ReadonlyMap<string, number>;

export const usage = (processes: Usage): Usage =>
  new Map([...processes].map(([name, pid]) => [name, cpuSeconds(pid)]));

/** CPU microseconds by process, between the two usages, divided by `count`. */
export const cpuMicrosEach = (before: Usage, after: Usage, count: number): string =>
  [...after]
    .map(([name, seconds]) => {
      const micros = ((seconds - (before.get(name) ?? 0)) * 1e6) / Math.max(1, count);
      return `${name} ${micros.toFixed(0)}`;
    })
    .join(', ');
