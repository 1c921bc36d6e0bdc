import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, ENVIRONMENT, install, ROOT } from './install.mjs';

const bin = (name) => join(ROOT, 'node_modules', '.bin', name);
const reports = mkdtempSync(join(tmpdir(), 'penstock-test-'));
const totals = { passed: 0, failed: 0, skipped: 0 };
const failures = [];

const heading = (title) => process.stdout.write(`\n── ${title}\n`);

const execute = async (command, args) => {
  const [status] = await once(
    spawn(command, args, { cwd: ROOT, stdio: 'inherit', env: ENVIRONMENT }),
    'exit',
  );
  return status === 0;
};

/** A check that passes or fails counts as one test. */
const count = (title, passed) => {
  totals[passed ? 'passed' : 'failed'] += 1;
  if (!passed) failures.push(title);
};

const check = async (title, command, args) => {
  heading(title);
  count(title, await execute(command, args));
};

/** Runs a command to its end, with what others leave of the processors. */
const executeBeside = async (command, args) => {
  const child = spawn(command, args, { cwd: ROOT, env: ENVIRONMENT });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  const printed = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part) => printed.push(part));
  const [status] = await once(child, 'close');
  return { passed: status === 0, output: Buffer.concat(printed) };
};

/** Runs a check beside others. @returns a function that prints and counts it. */
const checkBeside = async ({ title, command, args }) => {
  const { passed, output } = await executeBeside(command, args);
  return () => {
    heading(title);
    process.stdout.write(output);
    count(title, passed);
  };
};

/** Checks of one thread each. */
const STATIC_CHECKS = [
  { title: 'format', command: bin('prettier'), args: ['--check', '--log-level=warn', '.'] },
  { title: 'types', command: 'npm', args: ['run', '--silent', 'typecheck'] },
  { title: 'unused code', command: bin('knip'), args: ['--no-progress', '--no-config-hints'] },
  { title: 'folders', command: process.execPath, args: ['scripts/folders.mjs'] },
  {
    title: 'documentation of libraries',
    command: process.execPath,
    args: ['scripts/documented.mjs'],
  },
  { title: 'lint and boundaries', command: process.execPath, args: ['scripts/lint.mjs'] },
];

/** Runs the static checks, one after the other. @returns what prints and counts each. */
const staticChecks = async () => {
  const reports = [];
  for (const each of STATIC_CHECKS) reports.push(await checkBeside(each));
  return reports;
};

const reportOf = (title) => join(reports, `${title.replaceAll(' ', '-')}.json`);

const jestArguments = (title, project, args) => [
  '--selectProjects',
  project,
  '--json',
  `--outputFile=${reportOf(title)}`,
  ...args,
];

/** A jest project counts its tests; a suite that could not run counts as a failed test. */
const countSuite = (title, passed) => {
  const report = reportOf(title);
  const result = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined;
  totals.passed += result?.numPassedTests ?? 0;
  totals.failed += result?.numFailedTests ?? 0;
  totals.failed += result?.numRuntimeErrorTestSuites ?? 1;
  totals.skipped += (result?.numPendingTests ?? 0) + (result?.numTodoTests ?? 0);
  if (!passed || (result?.numPassedTests ?? 0) === 0) failures.push(title);
};

const suite = async (title, project, args) => {
  heading(title);
  countSuite(title, await execute(bin('jest'), jestArguments(title, project, args)));
};

install();
heading('build');
build();
const model = 'event-router/src/(router-model-|long-troubles)';
const rest = `(\\.int\\.spec\\.ts$|${model})`;
await suite('unit specs', 'unit', ['--maxWorkers=2', '--silent', '--testPathIgnorePatterns', rest]);
// The model makes millions of promises, and request contexts (AsyncLocalStorage) that other specs leave behind in a
// worker slow down each of them: it runs in processes of its own.
await suite('model of the router', 'unit', [
  '--maxWorkers=2',
  '--silent',
  '--testPathPatterns',
  model,
]);
// Each third: all of them are `npm run mutants`.
await check('mutants of the router', process.execPath, ['scripts/mutants.mjs', '--every', '3']);
// Integration specs wait for servers and timers for half of their time: with three at a time, static checks have what
// they leave of two processors. Functions are cut off by the time that they take, so that their specs run apart.
const limits = 'functions/(sharing|(javascript|python)/hostile)';
// The stand-in of Snowflake takes ten more minutes for these: `npm run test:long -- warehouses/src/snowflake`.
const long =
  'snowflake/(erasing/erasing\\.|layout/repair|reading/snowflake-reader|resolving/(concurrent-writers|history|moving-events|resolver-faults|resolving\\.))';
const checks = staticChecks();
await suite('integration specs', 'integration', [
  '--maxWorkers=3',
  '--silent',
  '--testPathIgnorePatterns',
  `(${limits}|${long})`,
]);
for (const report of await checks) report();
await suite('integration specs of limits', 'integration', [
  '--maxWorkers=2',
  '--silent',
  '--testPathPatterns',
  limits,
]);
// Specs that assert short waits and no refusals run without others beside them.
const alone = '(router-faults/(rolling|replicas|refused-events)|faults-of-runs)';
// The other log is that of the long form: `npm run test:long -- alerts`.
const otherLog = 'router-faults/alerts-on-kafka';
await suite('end-to-end specs', 'e2e', [
  '--maxWorkers=2',
  '--testPathIgnorePatterns',
  `(${alone}|${otherLog})`,
]);
await suite('end-to-end specs that run alone', 'e2e', ['--runInBand', '--testPathPatterns', alone]);
rmSync(reports, { recursive: true, force: true });

const { passed, failed, skipped } = totals;
if (failures.length > 0) process.stdout.write(`\nfailed: ${failures.join(', ')}\n`);
if (skipped > 0) process.stdout.write('\nskipped tests are failures here\n');
process.stdout.write(`\n${passed} passed, ${failed + skipped} failed\n`);
if (failures.length > 0 || failed > 0 || skipped > 0) process.exit(1);
