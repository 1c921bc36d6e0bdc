import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '..', '..', '..', '..');
const REQUIREMENTS = join(__dirname, 'requirements.txt');
const PROGRAM = join(__dirname, 'write_files.py');
const READER = join(__dirname, 'read_files.py');
const TIMEOUT_MS = 240_000;
const MAX_OUTPUT_BYTES = 268_435_456;

/** Runs a command. @returns its output. @throws Error with its output. */
const execute = (command: string, args: readonly string[]): string => {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`);
  return stdout;
};

const digestOf = (...files: readonly string[]): string => {
  const hash = createHash('sha256');
  for (const path of files) hash.update(readFileSync(path));
  return hash.digest('hex').slice(0, 12);
};

/** Installs the libraries in a virtual environment below `.cache`, if they are not there. */
const python = (): string => {
  const home = join(ROOT, '.cache', `files-${digestOf(REQUIREMENTS)}`);
  const mark = join(home, '.installed');
  if (!existsSync(mark)) {
    rmSync(home, { recursive: true, force: true });
    execute('python3', ['-m', 'venv', home]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
    execute(join(home, 'bin', 'python'), [...pip, '--require-hashes', '-r', REQUIREMENTS]);
    writeFileSync(mark, '');
  }
  return join(home, 'bin', 'python');
};

/**
 * Files that Python's libraries have written, made once below `.cache`.
 *
 * @returns the folder.
 * @throws Error when there is no Python 3.11 as `python3`, or the libraries cannot be installed.
 */
export const independentFiles = (): string => {
  const folder = join(ROOT, '.cache', `files-written-${digestOf(REQUIREMENTS, PROGRAM)}`);
  if (existsSync(folder)) return folder;
  const program = python();
  const making = `${folder}-${String(process.pid)}`;
  mkdirSync(making, { recursive: true });
  execute(program, [PROGRAM, making]);
  // Another process may have made them meanwhile.
  if (existsSync(folder)) rmSync(making, { recursive: true, force: true });
  else renameSync(making, folder);
  return folder;
};

/**
 * What Python's libraries read in the files of a folder, by the names of the files.
 *
 * @throws Error when they cannot read one.
 */
export const independentlyRead = (folder: string): Readonly<Record<string, unknown>> =>
  JSON.parse(execute(python(), [READER, folder])) as Readonly<Record<string, unknown>>;
