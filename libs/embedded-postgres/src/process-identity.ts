import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** One run of one program: a pid alone is re-used after its process has ended. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; equal for the same process only. */
  readonly startedAt: string;
}

/** State and start time in proc_pid_stat(5): fields 3 and 22, counted from behind the command's name. */
const fromProc = (stat: string): { state: string; startedAt: string } => {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', startedAt: fields[19] ?? '' };
};

const fromPs = (line: string): { state: string; startedAt: string } => {
  const [state = '', ...startedAt] = line.trim().split(/\s+/);
  return { state, startedAt: startedAt.join(' ') };
};

/** @returns undefined when no process has this pid, or only a zombie that nobody has reaped. */
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

/** The words of the program's command line; empty when it has ended or may not be read. */
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
