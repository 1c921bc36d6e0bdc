import './node-version.mjs';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Records the hash of the lock file that the installed packages are from. */
const MARK = join(ROOT, 'node_modules', '.penstock-installed');

/** Environment of every child process: no telemetry, no daemon, no prompts. */
export const ENVIRONMENT = {
  ...process.env,
  SCARF_ANALYTICS: 'false',
  NX_DAEMON: 'false',
  NX_NO_CLOUD: 'true',
  NX_TUI: 'false',
};

/** Runs a command to its end; a failure ends this process with its exit code. */
export const run = (command, args, options = {}) => {
  const { status, error } = spawnSync(command, args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: ENVIRONMENT,
    ...options,
  });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
};

const lockDigest = () =>
  createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex');

/** Installs exactly what the lock file names, unless that is installed already. */
export const install = () => {
  const digest = lockDigest();
  if (existsSync(MARK) && readFileSync(MARK, 'utf8') === digest) return;
  process.stdout.write('Installing the packages of package-lock.json\n');
  run('npm', [
    'ci',
    '--include=dev',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]);
  writeFileSync(MARK, digest);
};

/** Compiles what has changed. */
export const build = () => {
  run(process.execPath, [join(ROOT, 'scripts', 'compile.mjs')]);
};
