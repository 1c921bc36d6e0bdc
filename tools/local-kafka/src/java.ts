import { type ChildProcess, execFile, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Ties the JVM's life to ours through a pipe (descriptor 3), which the system closes however we die, by
 * `kill -9` too. The shell becomes the JVM (`exec`, so the child's pid is the JVM's); its subshell waits on
 * the pipe: a line says that we saw the JVM end and there is nothing to do; the end says that we are gone.
 */
const WITH_WATCHDOG = `
scratch=$1
shift
(
  trap '' HUP INT TERM
  read -r settled <&3 && exit 0
  kill -9 $$
  [ -z "$scratch" ] || { sleep 1; rm -rf "$scratch"; }
) &
exec 3<&-
exec java "$@"
`;

export interface JavaOptions {
  /** Where the jars are. */
  readonly libs: string;
  readonly heapMb: number;
  /** An open file for what the process prints. */
  readonly output: number;
  /** Removed by the watchdog when the parent dies without stopping the process; empty: none. */
  readonly scratch: string;
}

/** Starts a class of the Kafka distribution as a child that never outlives this process. */
export const startJava = (
  { libs, heapMb, output, scratch }: JavaOptions,
  mainClass: string,
  ...args: string[]
): ChildProcess => {
  const java = [...heap(heapMb), '-XX:+UseG1GC', ...LOGGING, ...classPath(libs), mainClass];
  const child = spawn('sh', ['-c', WITH_WATCHDOG, 'sh', scratch, ...java, ...args], {
    stdio: ['ignore', output, output, 'pipe'],
  });
  const watchdog = child.stdio[3] as Socket;
  watchdog.on('error', () => undefined);
  child.once('exit', () => watchdog.end('settled\n'));
  return child;
};

/** Runs a class to its end. Rejects with what it printed when it fails. */
export const runJava = async (
  libs: string,
  mainClass: string,
  ...args: string[]
): Promise<void> => {
  await run('java', [
    '-Xmx128m',
    '-XX:TieredStopAtLevel=1',
    ...classPath(libs),
    mainClass,
    ...args,
  ]);
};

/** Warnings and errors, by log4j's built-in configuration. */
const LOGGING = ['-Dorg.apache.logging.log4j.level=WARN'];

const heap = (megabytes: number): string[] => [`-Xms${megabytes}m`, `-Xmx${megabytes}m`];

const classPath = (libs: string): string[] => ['-cp', join(libs, '*')];
