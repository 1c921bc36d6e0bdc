import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Account } from './account';

const execute = promisify(execFile);

/** Nothing of this process's environment: it holds secrets that the server has no use for. */
export const CHILD_ENVIRONMENT = {
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
};

/** Runs a program to its end as that account, from `/`, since the account may not reach our own folder. */
export const runAs = (
  account: Account | undefined,
  file: string,
  args: readonly string[],
): Promise<{ stdout: string; stderr: string }> =>
  execute(file, args, { ...account, cwd: '/', env: CHILD_ENVIRONMENT });

/** Whether the account may pass through the folder and all of its parents. */
export const canEnter = async (folder: string, account: Account): Promise<boolean> =>
  runAs(account, '/bin/sh', ['-c', 'cd "$0"', folder]).then(
    () => true,
    () => false,
  );
