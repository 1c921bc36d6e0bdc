import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LONG_TESTS } from './long-tests.mjs';
import { build, ENVIRONMENT, install, ROOT } from './install.mjs';

/**
 * `npm run test:long` runs the long forms of all tests in `long-tests.mjs`, each of which takes minutes to hours, and
 * writes the result of each to `docs/internals/long-tests.md`. A run that was cut short goes on where it was, at the same
 * commit. `npm run test:long -- NAME…` runs those tests, or the spec files whose paths contain a name that is none of
 * theirs; further arguments go to jest (`-t "a title"`). `PENSTOCK_TEST_SEED` repeats a run with the seed that a spec
 * has printed.
 */
const PAGE = join(ROOT, 'docs', 'internals', 'long-tests.md');
const STATE = join(ROOT, '.cache', 'long-tests.json');
const RESULTS = join(ROOT, 'scripts', 'long-tests-results.json');

const readJson = (file, otherwise) =>
  existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : otherwise;

const writeJson = (file, value) => writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`);

const jest = (args) => [
  process.execPath,
  join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js'),
  '--runInBand',
  ...args,
];

const execute = ([command, ...args]) =>
  spawnSync(command, args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...ENVIRONMENT, PENSTOCK_TEST_LONG: '1' },
  }).status ?? 1;

/** @returns whether the test has passed. */
const runTest = ({ paths, command }) =>
  execute(command === undefined ? jest(paths) : [process.execPath, ...command]) === 0;

const page = (results) => {
  const rows = LONG_TESTS.map(({ name, size }) => {
    const { date = '', commit = '', minutes = '', result = 'not run yet' } = results[name] ?? {};
    return `| \`${name}\` | ${size} | ${date} | ${commit} | ${String(minutes)} | ${result} |`;
  });
  return `# Long tests

\`npm run test:long\` runs them, and writes this page. \`npm test\` has a small form of each.

| Name | Size | Last run | Commit | Minutes | Result |
| ---- | ---- | -------- | ------ | ------- | ------ |
${rows.join('\n')}
`;
};

/** Runs a test and records how it has ended. */
const runAndRecord = (test, commit) => {
  process.stdout.write(`\n── ${test.name}: ${test.size}\n`);
  const began = performance.now();
  const hasPassed = runTest(test);
  const results = readJson(RESULTS, {});
  results[test.name] = {
    date: new Date().toISOString().slice(0, 10),
    commit,
    minutes: Math.ceil((performance.now() - began) / 60_000),
    result: hasPassed ? 'passed' : 'failed',
  };
  writeJson(RESULTS, results);
  writeFileSync(PAGE, page(results));
  return hasPassed;
};

install();
build();
const names = process.argv.slice(2);
const isKnown = (name) => LONG_TESTS.some((test) => test.name === name);
if (names.length > 0 && !names.every(isKnown)) process.exit(execute(jest(names)));

const { stdout } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT });
const commit = String(stdout ?? '').trim();
mkdirSync(join(ROOT, '.cache'), { recursive: true });
const state = readJson(STATE, {});
const done = state.commit === commit && names.length === 0 ? state.done : [];
const failed = [];
for (const test of LONG_TESTS) {
  if (names.length > 0 ? !names.includes(test.name) : done.includes(test.name)) continue;
  if (!runAndRecord(test, commit)) failed.push(test.name);
  else done.push(test.name);
  if (names.length === 0) writeJson(STATE, { commit, done });
}
if (failed.length > 0) process.stdout.write(`\nfailed: ${failed.join(', ')}\n`);
process.exit(failed.length > 0 ? 1 : 0);
