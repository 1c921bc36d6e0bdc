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

/** Seconds of CPU that the process and its living children have used. */
export const cpuSeconds = (pid: number): number =>
  treeOf(pid).reduce((sum, each) => {
    try {
      const stat = statOf(each);
      return sum + (Number(stat[11]) + Number(stat[12])) / TICKS;
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
