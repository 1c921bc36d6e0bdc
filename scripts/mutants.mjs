import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ENVIRONMENT, ROOT } from './install.mjs';

/**
 * Applies each mutant that `services/event-router/mutants` lists to the event router, and fails unless a spec catches
 * every one. `MUTANT="its name" node scripts/mutants.mjs` tries one of them, `--every 3` each third. Whichever are tried,
 * all must fit the code.
 */
const folder = join(ROOT, 'services', 'event-router', 'mutants');
const require = createRequire(import.meta.url);
const { replaced } = require(join(folder, 'replaced.cjs'));
/** Limit for the whole run: a mutant may never end. */
const TIMEOUT_MS = 600_000;
const only = process.env['MUTANT'];
const { every } = parseArgs({ options: { every: { type: 'string', default: '1' } } }).values;
const all = require(join(folder, 'mutants.cjs'));
for (const mutant of all) replaced(readFileSync(join(ROOT, mutant.file), 'utf8'), mutant);
const mutants = all.filter(({ name }, at) =>
  only === undefined ? at % Number(every) === 0 : name === only,
);

const temporary = mkdtempSync(join(tmpdir(), 'penstock-mutants-'));
const report = join(temporary, 'report.json');
spawnSync(
  join(ROOT, 'node_modules', '.bin', 'jest'),
  ['--config', join(folder, 'jest.config.cjs'), '--maxWorkers=2', '--silent'],
  {
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    cwd: ROOT,
    stdio: 'inherit',
    env: {
      ...ENVIRONMENT,
      MUTANT_REPORT: report,
      MUTANTS: JSON.stringify(mutants.map(({ name }) => name)),
    },
  },
);
const found = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : {};
rmSync(temporary, { recursive: true, force: true });

const unbroken = found['nothing is broken'];
if (unbroken?.hasRun !== true || unbroken.isCaught) {
  const how = unbroken?.seed ? `with seed ${unbroken.seed}` : (unbroken?.error ?? 'to run');
  process.stdout.write(`the model fails without any mutant, ${how}: the mutants say nothing\n`);
  process.exit(1);
}

let survivors = 0;
for (const { name } of mutants) {
  const { isCaught = false, hasRun = false, seed, error = 'no spec has run' } = found[name] ?? {};
  const isNoticed = isCaught && hasRun;
  if (!isNoticed) survivors += 1;
  const how = isNoticed ? `caught${seed ? ` by seed ${seed}` : ''}` : `SURVIVES ${error}`;
  process.stdout.write(`${name}: ${how}\n`);
}
process.stdout.write(`${mutants.length - survivors} of ${mutants.length} mutants caught\n`);
if (mutants.length === 0 || survivors > 0) process.exit(1);
