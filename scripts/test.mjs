import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { build, ENVIRONMENT, install, ROOT } from './install.mjs';
import { Progress } from './test-progress.mjs';
import { unlistedSlowSpecs } from './slow-specs.mjs';
import { readReports, REPORTS } from './test-reports.mjs';

/**
 * Runs all checks through Nx, which takes the results of projects that have not changed from its cache. A phase begins
 * when the one before has ended; `beside` of a phase runs with the processor time that its specs leave.
 * `npm test -- --projects schema,filters` runs the checks of some projects.
 */
const PHASES = [
  { title: 'unit specs', targets: ['test'], atOnce: 2 },
  { title: 'mutants', targets: ['mutants'], atOnce: 1 },
  {
    title: 'integration specs, static checks',
    targets: ['test:integration'],
    // They wait for servers and timers for a part of their time.
    atOnce: 3,
    beside: [
      'check:lint',
      'check:types',
      'check:format',
      'check:unused',
      'check:folders',
      'check:documented',
    ],
  },
  { title: 'integration specs alone', targets: ['test:alone'], atOnce: 1, workers: 2 },
  { title: 'end-to-end specs', targets: ['e2e'], atOnce: 1, workers: 2 },
];

/** Lines of Nx itself, which repeat what the lines of the specs and the end of the run say. */
const OF_NX =
  /^(\s*|> (nx run|node scripts\/run-).*| NX .*|Nx read the output.*|Running one project: .*|Failed tasks:|Warning: command .*|Force exiting Jest: .*|\(node:\d+\) MaxListenersExceededWarning: .*|\(Use `node --trace-warnings .*|[✔✖] .*|—+| *- (@penstock\/\S+|repository))$/u;
const COLOURS = /\u001b\[[0-9;]*m/gu;

const { projects } = parseArgs({ options: { projects: { type: 'string' } } }).values;
const progress = new Progress();
const running = new Set();
let isCutShort = false;

/** Runs targets of all projects that have them. @returns whether all have passed. */
const runTargets = async (targets, atOnce, environment) => {
  const child = spawn(
    process.execPath,
    [
      join(ROOT, 'node_modules', 'nx', 'bin', 'nx.js'),
      'run-many',
      `--targets=${targets.join()}`,
      `--parallel=${String(atOnce)}`,
      '--output-style=stream-without-prefixes',
      ...(projects === undefined ? [] : [`--projects=${projects}`]),
    ],
    {
      cwd: ROOT,
      // `startTestServers` has added the addresses of the servers to that of this process.
      env: { ...process.env, ...ENVIRONMENT, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    },
  );
  running.add(child);
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      if (!OF_NX.test(line.replace(COLOURS, ''))) progress.print(line);
    });
  const [status] = await once(child, 'close');
  running.delete(child);
  return status === 0;
};

const phases = [];

const runPhase = async ({ title, targets, atOnce, workers = 1, beside }) => {
  progress.print(`\n── ${title}`);
  const began = performance.now();
  const results = await Promise.all([
    runTargets(targets, atOnce, { SPECS_AT_ONCE: String(workers) }),
    ...(beside === undefined ? [] : [runTargets(beside, 1, { CHECKS_BESIDE: '1' })]),
  ]);
  const seconds = Math.round((performance.now() - began) / 1_000);
  phases.push({ title, seconds, hasPassed: results.every(Boolean) });
};

/** Ends what was started, and says what was not run. */
const cutShort = (signal) => {
  isCutShort = true;
  for (const { pid } of running)
    try {
      process.kill(-pid, signal);
    } catch {
      // It has ended meanwhile.
    }
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => cutShort('SIGTERM'));

const began = performance.now();
install();
build();
rmSync(REPORTS, { recursive: true, force: true });
const require = createRequire(import.meta.url);
const testServers = join(ROOT, 'tools', 'test-servers');
require(join(testServers, 'test', 'sources.cjs'));
const { startTestServers, stopTestServers } = require(join(testServers, 'src', 'test-servers.ts'));
await startTestServers();
phases.push({
  title: 'packages, build, servers',
  seconds: Math.round((performance.now() - began) / 1_000),
  hasPassed: true,
});
const notRun = [...PHASES];
while (notRun.length > 0 && !isCutShort) {
  await runPhase(notRun[0]);
  if (!isCutShort) notRun.shift();
}
await stopTestServers();

const reports = readReports();
const all = (member) => reports.flatMap((report) => report[member]);
const count = (member) => reports.reduce((sum, report) => sum + report[member], 0);
const failures = all('failures');
const suites = all('suites');
for (const { title, hasPassed } of phases)
  if (!hasPassed && failures.length === 0 && !isCutShort)
    failures.push({ path: title, title: null, message: 'Nx has failed: see above', command: '' });
if (!isCutShort) failures.push(...(await unlistedSlowSpecs(suites)));

progress.end();
const print = (line = '') => process.stdout.write(`${line}\n`);
if (failures.length > 0) print('\n── failures');
for (const { path, title, message, command } of failures)
  print(`\n${path}${title === null ? '' : `\n  ${title}`}\n\n${message}\n\n  ${command}`);
print('\n── seconds');
for (const { title, seconds } of phases) print(`${String(seconds).padStart(6)}  ${title}`);
print('\n── slowest tests');
const slowest = all('slowest').sort((one, other) => other.seconds - one.seconds);
for (const { path, title, seconds } of slowest.slice(0, 10))
  print(`${seconds.toFixed(1).padStart(6)}  ${path}: ${title}`);
const flaky = all('flaky');
if (flaky.length > 0) print();
for (const path of flaky) print(`flaky: ${path}`);
if (isCutShort) print(`\nnot run: ${notRun.map(({ title }) => title).join(', ')}`);
const skipped = count('skipped');
if (skipped > 0) print(`\nskipped tests are failures here: ${all('withSkipped').join(', ')}`);
const failed = Math.max(count('failed'), failures.length) + skipped;
if (!isCutShort && projects === undefined) progress.remember(suites);
mkdirSync(join(ROOT, '.cache'), { recursive: true });
writeFileSync(
  join(ROOT, '.cache', 'test-run.json'),
  JSON.stringify({ phases, flaky: all('flakyFailures'), failures, suites }, undefined, 1),
);
print(`\n${count('passed')} passed, ${failed} failed`);
process.exit(isCutShort ? 130 : failed > 0 ? 1 : 0);
