import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { build, ENVIRONMENT, install, ROOT } from './install.mjs';

/**
 * Runs a program beside a Penstock that may be running, and ends with its exit code. Where packages and a build are there,
 * they are used as they are: the running one goes on loading from them, and replacing them would break it.
 *
 * @param program path below `services`.
 */
export const runBuilt = (program, args = []) => {
  const main = join(ROOT, 'services', program);
  if (!existsSync(main) || !existsSync(join(ROOT, 'node_modules'))) {
    install();
    build();
  }
  const { status } = spawnSync(process.execPath, [main, ...args], {
    stdio: 'inherit',
    env: ENVIRONMENT,
  });
  process.exit(status ?? 1);
};
