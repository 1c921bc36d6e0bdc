import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Account } from './account';

const execute = promisify(execFile);

/** Passes on nothing of this process's environment: it holds secrets that the server does not need. */
export const CHILD_ENVIRONMENT = {
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
};

/**
 * Runs a program to its end as that account, in `/`, since the account may not be able to enter our working directory.
 */
export const runAs = (
  account: Account | undefined,
  file: string,
  args: readonly string[],
): Promise<{ stdout: string; stderr: string }> =>
  execute(file, args, { ...account, cwd: '/', env: CHILD_ENVIRONMENT });

/** Checks whether the account may pass through the folder and all of its parents. */
export const canEnter = async (folder: string, account: Account): Promise<boolean> =>
  runAs(account, '/bin/sh', ['-c', 'cd "$0"', folder]).then(
    () => true,
    () => false,
  );
