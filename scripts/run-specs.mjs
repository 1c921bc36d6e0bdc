import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ENVIRONMENT, ROOT } from './install.mjs';
import { writeReport } from './test-reports.mjs';

/**
 * `node scripts/run-specs.mjs unit|integration|alone|e2e PROJECT [arguments of jest]` runs the specs of a project, which is
 * named by its folder. Spec files that fail are run once more, one after the other: those that pass then are reported as
 * flaky, and do not fail the run.
 */
const [kind, project, ...more] = process.argv.slice(2);
/** Integration specs are all that are not to run alone (`*.alone.int.spec.ts`). */
const KINDS = {
  unit: { jestProject: 'unit', files: '' },
  integration: { jestProject: 'integration', files: '' },
  alone: { jestProject: 'integration', files: '.*\\.alone\\.int\\.spec\\.ts$' },
  e2e: { jestProject: 'e2e', files: '' },
};
const { jestProject, files } = KINDS[kind];
const reports = mkdtempSync(join(tmpdir(), 'penstock-specs-'));

/** Files at a time: `npm test` runs several projects at a time. */
const WORKERS = process.env['SPECS_AT_ONCE'] ?? '2';

/** @returns what the reporter has found; nothing if jest did not get so far. */
const runJest = async (name, args) => {
  const report = join(reports, `${name}.json`);
  const child = spawn(
    process.execPath,
    [
      join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js'),
      '--selectProjects',
      jestProject,
      '--reporters',
      join(ROOT, 'scripts', 'spec-reporter.cjs'),
      ...(kind === 'e2e' ? [] : ['--silent']),
      // A file that leaves something open keeps no run from ending: with several workers, jest ends them too.
      '--forceExit',
      ...args,
    ],
    {
      cwd: ROOT,
      stdio: 'inherit',
      env: {
        ...ENVIRONMENT,
        SPEC_REPORT: report,
        SPECS_ALONE: kind === 'alone' ? '1' : '0',
      },
    },
  );
  await once(child, 'exit');
  return existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined;
};

const withPaths = (paths) => ['--runTestsByPath', ...paths.map((path) => join(ROOT, path))];

const sum = (suites, member) => suites.reduce((total, suite) => total + suite[member], 0);

/** A title as a pattern of jest, quoted for a shell. */
const quoted = (title) =>
  `'${title.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&').replaceAll("'", "'\\''")}'`;

/** The command that repeats one failed test. */
const commandOf = ({ path, title }) => {
  const which = title === null ? '' : ` -t ${quoted(title)}`;
  return `npx jest ${path} --selectProjects ${jestProject}${which}`;
};

const first = await runJest('first', [
  `--maxWorkers=${WORKERS}`,
  '--testPathPatterns',
  `${project}/src/${files}`,
  ...more,
]);
const failed = new Set((first?.failures ?? []).map(({ path }) => path));
let suites = first?.suites ?? [];
let failures = first?.failures ?? [
  { path: project, title: null, message: 'jest has ended without a report' },
];
let flaky = [];
let flakyFailures = [];
if (failed.size > 0) {
  process.stdout.write('\nonce more, one file at a time:\n');
  const again = await runJest('again', ['--runInBand', ...withPaths([...failed])]);
  const isFailed = new Set(again?.failures.map(({ path }) => path) ?? failed);
  flaky = [...failed].filter((path) => !isFailed.has(path));
  suites = [
    ...suites.filter(({ path }) => !flaky.includes(path)),
    ...(again?.suites ?? []).filter(({ path }) => flaky.includes(path)),
  ];
  flakyFailures = failures.filter(({ path }) => !isFailed.has(path));
  failures = failures.filter(({ path }) => isFailed.has(path));
}
rmSync(reports, { recursive: true, force: true });

const noTests = suites.length === 0 && failures.length === 0;
if (noTests)
  failures.push({ path: project, title: null, message: `${project} has no ${kind} specs` });
writeReport(`${project.replaceAll('/', '-')}-${kind}`, {
  passed: sum(suites, 'passed'),
  failed: Math.max(failures.length, sum(suites, 'failed')),
  skipped: sum(suites, 'skipped'),
  withSkipped: suites.filter(({ skipped }) => skipped > 0).map(({ path }) => path),
  suites: suites.map(({ path, seconds }) => ({ path, seconds })),
  slowest: first?.slowest ?? [],
  flaky,
  flakyFailures,
  failures: failures.map((failure) => ({ ...failure, command: commandOf(failure) })),
});
process.exit(failures.length > 0 ? 1 : 0);
