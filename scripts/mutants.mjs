import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ENVIRONMENT, ROOT } from './install.mjs';

/**
 * Applies each mutant that the projects list in `mutants/mutants.cjs`, and fails unless the spec that it names notices it:
 *
 *     npm run mutants -- [--project NAME]… [--name "PART OF A NAME"]… [--workers 2] [--list] [--seeds]
 *
 * `--list` lists them only. `--seeds` records the seeds of the model that were found to catch a mutant, which are tried
 * first from then on. All mutants of the chosen projects must fit the code, whichever are tried.
 */
const { values: options } = parseArgs({
  options: {
    project: { type: 'string', multiple: true, default: [] },
    name: { type: 'string', multiple: true, default: [] },
    workers: { type: 'string', default: '2' },
    list: { type: 'boolean', default: false },
    seeds: { type: 'boolean', default: false },
  },
});

const require = createRequire(import.meta.url);
const folder = join(import.meta.dirname, 'mutants');
const { listedMutants } = require(join(folder, 'lists.cjs'));

/** Limit for one process of jest: a mutant may never end. */
const TIMEOUT_MS = 3_600_000;
/** Mutants of one spec file that one process tries: more are shared out. */
const MOST_OF_A_SPEC = 12;
/** Fewer mutants are tried by one process: to start another one would take longer. */
const FEW = 8;
/** Specs that notice mutants need no Kafka, so that none is started. */
const NO_BROKERS = '127.0.0.1:1';

const fail = (message) => {
  process.stderr.write(`${message}\n`);
  process.exit(2);
};

const listed = listedMutants();
const unknown = options.project.filter((name) => !listed.has(name));
if (unknown.length > 0) fail(`no list of mutants is that of ${unknown.join(', ')}`);
const mutants = [...listed]
  .filter(([project]) => options.project.length === 0 || options.project.includes(project))
  .flatMap(([, all]) => all)
  .filter(({ name }) => options.name.every((part) => name.includes(part)));
if (mutants.length === 0) fail('no mutant has this name');
if (options.list) {
  for (const { project, name, spec } of mutants)
    process.stdout.write(`${project}: ${name} (${spec})\n`);
  process.exit(0);
}

/** Mutants of one spec file each, and all that need servers: these are started once. */
const groups = () => {
  const found = new Map();
  for (const mutant of mutants) {
    const key = mutant.spec.endsWith('.int.spec.ts') ? 'servers' : mutant.spec;
    found.set(key, [...(found.get(key) ?? []), mutant]);
  }
  return [...found].flatMap(([key, group]) => {
    const size = key === 'servers' ? group.length : MOST_OF_A_SPEC;
    return Array.from({ length: Math.ceil(group.length / size) }, (_, at) =>
      group.slice(at * size, (at + 1) * size),
    );
  });
};

/** Shares the groups out, the largest first. */
const sharesOf = (count) => {
  const shares = Array.from({ length: count }, () => []);
  const largestFirst = groups().sort((one, other) => other.length - one.length);
  for (const group of largestFirst)
    shares.reduce((least, share) => (share.length < least.length ? share : least)).push(...group);
  return shares.filter((share) => share.length > 0);
};

const temporary = mkdtempSync(join(tmpdir(), 'penstock-mutants-'));

/** Tries mutants in a process of their own. @returns how the runs ended. */
const tried = async (share, index) => {
  const task = join(temporary, `task-${index}.json`);
  const report = join(temporary, `report-${index}.json`);
  writeFileSync(task, JSON.stringify({ mutants: share, report }));
  const jest = spawn(
    process.execPath,
    [
      join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js'),
      ...['--config', join(folder, 'jest.config.cjs'), '--runInBand', '--silent'],
    ],
    {
      ...{ cwd: ROOT, timeout: TIMEOUT_MS, killSignal: 'SIGKILL' },
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...ENVIRONMENT, KAFKA_BROKERS: NO_BROKERS, MUTANTS_TASK: task },
    },
  );
  await once(jest, 'close');
  return existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : [];
};

const workers = Math.min(Number(options.workers), Math.ceil(mutants.length / FEW));
const found = (await Promise.all(sharesOf(workers).map(tried))).flat();
rmSync(temporary, { recursive: true, force: true });

/** Without a mutant each choice of tests must pass: otherwise every mutant would seem to be caught. */
const failsUnbroken = ({ spec, test }) => {
  const runs = found.filter((run) => run.name === undefined && run.spec === spec);
  const own = runs.filter((run) => run.test === test);
  return own.length === 0 || own.some(({ hasRun, isCaught }) => !hasRun || isCaught);
};

const verdictOn = (mutant) => {
  const run = found.find(({ project, name }) => project === mutant.project && name === mutant.name);
  if (failsUnbroken(mutant)) return { isCaught: false, how: `${mutant.spec} fails without it` };
  if (run?.hasRun !== true) return { isCaught: false, how: run?.error ?? 'no spec has run' };
  if (!run.isCaught) return { isCaught: false, how: 'no test fails' };
  const seed = run.seed === null ? '' : `, seed ${run.seed}`;
  return { isCaught: true, how: `${run.title}${seed} (${(run.ms / 1000).toFixed(1)} s)`, run };
};

let survivors = 0;
const seeds = new Map();
for (const mutant of mutants) {
  const { isCaught, how, run } = verdictOn(mutant);
  if (!isCaught) survivors += 1;
  if (run?.seed != null) seeds.set(mutant, run.seed);
  process.stdout.write(
    `${isCaught ? 'caught' : 'SURVIVES'} ${mutant.project}: ${mutant.name}: ${how}\n`,
  );
}
process.stdout.write(`${mutants.length - survivors} of ${mutants.length} mutants caught\n`);

if (options.seeds)
  for (const project of new Set(mutants.map((mutant) => mutant.project))) {
    const known = listed
      .get(project)
      .map((mutant) => [mutant.name, seeds.get(mutant) ?? mutant.seed]);
    const text = JSON.stringify(
      Object.fromEntries(known.filter(([, seed]) => seed !== undefined)),
      null,
      2,
    );
    const [first] = listed.get(project);
    const path = join(ROOT, first.file.split('/src/')[0], 'mutants', 'seeds.json');
    if (text !== '{}') writeFileSync(path, `${text}\n`);
  }
if (survivors > 0) process.exit(1);
