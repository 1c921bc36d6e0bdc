import { spawn } from 'node:child_process';

/**
 * A script whose standard input closes when this process ends, however it ends. MariaDB, for one, does not end by SIGINT:
 * what is there after five seconds is killed.
 */
const SCRIPT =
  'cat > /dev/null; kill -INT "$1"; n=0; while kill -0 "$1"; do sleep 0.1; ' +
  'n=$((n + 1)); [ $n -lt 50 ] || kill -KILL "$1"; done; kill -s KILL -- "-$1"; rm -rf "$2"';

/**
 * Ends the process, and those of its group where it leads one, and removes the folder when this process ends, also by
 * SIGKILL.
 *
 * @returns a function that cancels this.
 */
export const watchOver = (pid: number, folder: string): (() => void) => {
  const watchdog = spawn('/bin/sh', ['-c', SCRIPT, 'watchdog', `${pid}`, folder], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watchdog.unref();
  return () => void watchdog.kill('SIGKILL');
};
