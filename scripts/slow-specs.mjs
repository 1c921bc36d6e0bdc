import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ENVIRONMENT, ROOT } from './install.mjs';

/** Spec files that take longer are in the list, with the reason. */
const LIMIT_SECONDS = 10;

/** Spec files that may take long, with the reason of each. */
const LISTED = JSON.parse(readFileSync(new URL('slow-specs.json', import.meta.url), 'utf8'));

const kindOf = (path) =>
  path.startsWith('e2e/') ? 'e2e' : path.endsWith('.int.spec.ts') ? 'integration' : 'unit';

/** Seconds for which the main thread of a process has waited for a processor; 0 where the system does not tell. */
const secondsQueued = (pid) => {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e9;
  } catch {
    return 0;
  }
};

/** Runs a spec file alone. @returns its seconds, without those in which it waited for a processor. */
const secondsAlone = async (path) => {
  const report = join(ROOT, '.cache', 'slow-spec.json');
  const args = ['--selectProjects', kindOf(path), '--runInBand', '--silent'];
  const child = spawn(
    process.execPath,
    [
      join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js'),
      ...args,
      '--reporters',
      join(ROOT, 'scripts', 'spec-reporter.cjs'),
      '--runTestsByPath',
      join(ROOT, path),
    ],
    { cwd: ROOT, stdio: 'ignore', env: { ...ENVIRONMENT, SPEC_REPORT: report } },
  );
  let queued = 0;
  const timer = setInterval(() => (queued = Math.max(queued, secondsQueued(child.pid))), 100);
  await once(child, 'exit');
  clearInterval(timer);
  if (!existsSync(report)) return 0;
  const [suite] = JSON.parse(readFileSync(report, 'utf8')).suites;
  rmSync(report);
  return Math.max(0, (suite?.seconds ?? 0) - queued);
};

/**
 * Finds spec files that take too long and are not in the list. A busy machine makes every file slow: those that seem so
 * are measured once more, alone. @returns a failure for each.
 */
export const unlistedSlowSpecs = async (suites) => {
  const gone = Object.keys(LISTED)
    .filter((path) => !existsSync(join(ROOT, path)))
    .map((path) => ({ path, message: 'there is no such file: correct scripts/slow-specs.json' }));
  const found = [];
  for (const { path, seconds } of suites) {
    if (seconds < LIMIT_SECONDS || !path.endsWith('.spec.ts') || path in LISTED) continue;
    const alone = await secondsAlone(path);
    if (alone >= LIMIT_SECONDS)
      found.push({
        path,
        message: `takes ${alone.toFixed(1)} s alone: make it faster, or say why in scripts/slow-specs.json`,
      });
  }
  return [...gone, ...found].map((failure) => ({ ...failure, title: null, command: '' }));
};
