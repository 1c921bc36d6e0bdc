import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '..', '..', '..');
const INSTALL_TIMEOUT_MS = 240_000;

/** Runs a command. @throws Error with its output. */
const execute = (command: string, args: readonly string[]): void => {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    timeout: INSTALL_TIMEOUT_MS,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`);
};

/** Checks for Python 3.11: what needs it is not left out without it, but fails. @throws Error */
const requirePython = (name: string): void => {
  const program = 'import sys; sys.exit(sys.version_info < (3, 11))';
  const { status, error } = spawnSync('python3', ['-c', program]);
  if (error !== undefined || status !== 0)
    throw new Error(`${name} needs Python 3.11 or later as python3`);
};

/**
 * Installs packages of Python in a virtual environment below `.cache`, if they are not there.
 *
 * @param name of what they are for.
 * @param requirements file with the versions and hashes of all packages.
 * @returns the folder of the environment's programs.
 * @throws Error when there is no Python, or the installation fails.
 */
export const installPythonPackages = (name: string, requirements: string): string => {
  requirePython(name);
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  const home = join(ROOT, '.cache', `${name}-${digest.slice(0, 12)}`);
  const mark = join(home, '.installed');
  if (!existsSync(mark)) {
    rmSync(home, { recursive: true, force: true });
    execute('python3', ['-m', 'venv', home]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
    execute(join(home, 'bin', 'python'), [...pip, '--require-hashes', '-r', requirements]);
    writeFileSync(mark, '');
  }
  return join(home, 'bin');
};
