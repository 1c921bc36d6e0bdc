import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Ends the JVM when this process ends: a subshell waits on a pipe (descriptor 3), which the system closes however
 * this process ends, by SIGKILL too. The shell becomes the JVM (`exec`, so that the child's pid is the JVM's). A
 * line on the pipe means that this process saw the JVM end, so that there is nothing to do.
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
  /** The folder of the jars. */
  readonly libs: string;
  readonly heapMb: number;
  /** Whether hot code is compiled by the optimizing compiler. */
  readonly isLasting: boolean;
  /** An open file for the output of the process. */
  readonly output: number;
  /** A file that gets the classes it has loaded, when it stops in order. */
  readonly archiveTo?: string;
  /** Removed by the watchdog when the parent dies without stopping the process; empty: none. */
  readonly scratch: string;
}

/** Starts a class of the Kafka distribution as a child that ends with this process. */
export const startJava = (
  { libs, heapMb, isLasting, output, archiveTo, scratch }: JavaOptions,
  mainClass: string,
  ...args: string[]
): ChildProcess => {
  const flags = [...heap(heapMb), '-XX:+UseG1GC', ...(isLasting ? [] : BRIEF), ...LOGGING];
  const archive =
    archiveTo === undefined ? fromArchive(libs) : [`-XX:ArchiveClassesAtExit=${archiveTo}`];
  const java = [...flags, ...archive, ...classPath(libs), mainClass];
  const child = spawn('sh', ['-c', WITH_WATCHDOG, 'sh', scratch, ...java, ...args], {
    stdio: ['ignore', output, output, 'pipe'],
  });
  const watchdog = child.stdio[3] as Socket;
  watchdog.on('error', () => undefined);
  child.once('exit', () => watchdog.end('settled\n'));
  return child;
};

/** Runs a class to its end. Rejects with its output when it fails. */
export const runJava = async (
  libs: string,
  mainClass: string,
  ...args: string[]
): Promise<void> => {
  const flags = ['-Xmx128m', ...BRIEF, ...fromArchive(libs)];
  await run('java', [...flags, ...classPath(libs), mainClass, ...args]);
};

/** Compiles quickly and optimizes little. */
const BRIEF = ['-XX:TieredStopAtLevel=1'];

/** Logs warnings and errors, with log4j's built-in configuration. */
const LOGGING = ['-Dorg.apache.logging.log4j.level=WARN'];

const heap = (megabytes: number): string[] => [`-Xms${megabytes}m`, `-Xmx${megabytes}m`];

/** File of the classes of a broker, beside the folder of the jars. */
export const archiveOf = (libs: string): string => `${libs}.jsa`;

/**
 * Takes classes from the archive, where there is one: a JVM that does not load and verify them one by one needs half of
 * the time. One that does not fit the Java or the path of the jars is left unused.
 */
const fromArchive = (libs: string): string[] =>
  existsSync(archiveOf(libs)) ? [`-XX:SharedArchiveFile=${archiveOf(libs)}`] : [];

const classPath = (libs: string): string[] => ['-cp', join(libs, '*')];
