import { withInstallLock } from '@penstock/local-kafka';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const CACHE = resolve(__dirname, '..', '..', '..', '.cache');
/** Four minutes were seen on a machine with much else to do. */
const INSTALL_TIMEOUT_MS = 600_000;

/** Checks for Python 3.11: what needs it is not left out without it, but fails. @throws Error */
const requirePython = async (name: string): Promise<void> => {
  const program = 'import sys; sys.exit(sys.version_info < (3, 11))';
  await run('python3', ['-c', program]).catch((cause: unknown) => {
    throw new Error(`${name} needs Python 3.11 or later as python3`, { cause });
  });
};

/** Programs of an environment name its folder, so that it cannot be made elsewhere and moved: the mark is made last. */
const install = async (home: string, mark: string, requirements: string): Promise<void> => {
  await rm(home, { recursive: true, force: true });
  await run('python3', ['-m', 'venv', home]);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  await run(join(home, 'bin', 'python'), [...pip, '--require-hashes', '-r', requirements], {
    timeout: INSTALL_TIMEOUT_MS,
  });
  await writeFile(mark, '');
};

/**
 * Installs packages of Python in a virtual environment below `.cache`, if they are not there. Of several processes, one
 * does and the others wait.
 *
 * @param name of what they are for.
 * @param requirements file with the versions and hashes of all packages.
 * @returns the folder of the environment's programs.
 * @throws Error when there is no Python, or the installation fails.
 */
export const installPythonPackages = async (
  name: string,
  requirements: string,
): Promise<string> => {
  await requirePython(name);
  const digest = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex');
  const home = join(CACHE, `${name}-${digest.slice(0, 12)}`);
  const mark = join(home, '.installed');
  await mkdir(CACHE, { recursive: true });
  if (!existsSync(mark))
    await withInstallLock(`${home}.lock`, async () => {
      if (!existsSync(mark)) await install(home, mark, requirements);
    });
  return join(home, 'bin');
};
