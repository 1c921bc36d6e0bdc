import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const table = (...columns: string[]): string[] =>
  execFileSync('ps', ['-A', ...columns.flatMap((column) => ['-o', `${column}=`])], {
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
    .map((line) => line.trim());

/** Process ids of its direct children. */
export const childrenOf = (pid: number): number[] =>
  table('ppid', 'pid')
    .map((line) => line.split(/\s+/).map(Number))
    .flatMap(([parent, child]) => (parent === pid && child !== undefined ? [child] : []));

/** Command lines that contain the text, without our own `ps` and watchdogs. */
export const commandsNaming = (text: string): string[] =>
  table('args').filter((command) => command.includes(text) && !command.includes('watchdog'));

const residentKib = (pid: number): number => {
  const processes = table('pid', 'rss').map((line) => line.split(/\s+/).map(Number));
  return processes.find(([each]) => each === pid)?.[1] ?? 0;
};

/** Memory in bytes: the proportional set size (Linux), else the resident size. A process that has ended has none. */
export const memoryOf = (pid: number): number => {
  try {
    const rollup = readFileSync(`/proc/${String(pid)}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) * 1024;
  } catch {
    return residentKib(pid) * 1024;
  }
};
