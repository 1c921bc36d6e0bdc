import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Identifies one run of a program. A pid alone is not enough: it is reused after its process has ended. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; equal only for the same process. */
  readonly startedAt: string;
}

/** Reads state and start time from proc_pid_stat(5): fields 3 and 22, counted after the command's name. */
const fromProc = (stat: string): { state: string; startedAt: string } => {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', startedAt: fields[19] ?? '' };
};

const fromPs = (line: string): { state: string; startedAt: string } => {
  const [state = '', ...startedAt] = line.trim().split(/\s+/);
  return { state, startedAt: startedAt.join(' ') };
};

/** @returns undefined when no process has this pid, or only a zombie. */
export const identify = async (pid: number): Promise<ProcessIdentity | undefined> => {
  try {
    const { state, startedAt } =
      process.platform === 'linux'
        ? fromProc(await readFile(`/proc/${pid}/stat`, 'utf8'))
        : fromPs((await run('ps', ['-o', 'stat=,lstart=', '-p', `${pid}`])).stdout);
    return startedAt === '' || /^[ZX]/.test(state) ? undefined : { pid, startedAt };
  } catch {
    return undefined;
  }
};

export const isRunning = async ({ pid, startedAt }: ProcessIdentity): Promise<boolean> =>
  (await identify(pid))?.startedAt === startedAt;

/** Reads the command line of a process; empty when it has ended or cannot be read. */
export const commandLineOf = async (pid: number): Promise<string> =>
  process.platform === 'linux'
    ? readFile(`/proc/${pid}/cmdline`, 'utf8').then(
        (text) => text.split('\0').join(' '),
        () => '',
      )
    : run('ps', ['-o', 'command=', '-p', `${pid}`]).then(
        ({ stdout }) => stdout.trim(),
        () => '',
      );
