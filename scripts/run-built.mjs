import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { build, ENVIRONMENT, install, ROOT } from './install.mjs';

/** Exit code of a program that could not do what it is for: the next one could not either. */
const NOT_DONE = 2;

/**
 * Runs programs, one after the other, beside a Penstock that may be running, and ends with the highest of their exit
 * codes. Where packages and a build are there, they are used as they are: the running one goes on loading from them, and
 * replacing them would break it.
 *
 * @param programs each a path below `services`, and its arguments.
 */
export const runBuilt = (...programs) => {
  const commands = programs.map(([program, ...args]) => [join(ROOT, 'services', program), ...args]);
  const isBuilt = commands.every(([main]) => existsSync(main));
  if (!isBuilt || !existsSync(join(ROOT, 'node_modules'))) {
    install();
    build();
  }
  let highest = 0;
  for (const command of commands) {
    const { status } = spawnSync(process.execPath, command, { stdio: 'inherit', env: ENVIRONMENT });
    highest = Math.max(highest, status ?? NOT_DONE);
    if (highest >= NOT_DONE) break;
  }
  process.exit(highest);
};
