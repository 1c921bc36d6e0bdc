import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { delimiter, join } from 'node:path';
import { ENVIRONMENT, ROOT } from './install.mjs';
import { writeReport } from './test-reports.mjs';

/**
 * `node scripts/run-check.mjs NAME COMMAND…` runs a check that passes or fails as a whole, which counts as one test. It
 * prints what the check has printed if that has failed. With `CHECKS_BESIDE=1`, the check has the processor time
 * that others leave.
 */
const [name, command, ...args] = process.argv.slice(2);
const path = [join(ROOT, 'node_modules', '.bin'), process.env['PATH']].join(delimiter);
const began = performance.now();
const child = spawn(command, args, { cwd: ROOT, env: { ...ENVIRONMENT, PATH: path } });
if (process.env['CHECKS_BESIDE'] === '1' && child.pid !== undefined)
  setPriority(child.pid, constants.priority.PRIORITY_LOW);
const printed = [];
for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => printed.push(part));
const [status] = await once(child, 'close');
const hasPassed = status === 0;
const seconds = Math.round((performance.now() - began) / 100) / 10;
const message = Buffer.concat(printed).toString();
const outcome = hasPassed ? 'passed' : 'failed';
process.stdout.write(`${outcome} ${seconds.toFixed(1).padStart(6)} s  ${name}\n`);
if (!hasPassed) process.stdout.write(`\n${message}\n`);
writeReport(name, {
  passed: hasPassed ? 1 : 0,
  failed: hasPassed ? 0 : 1,
  skipped: 0,
  withSkipped: [],
  suites: [{ path: name, seconds }],
  slowest: [],
  flaky: [],
  flakyFailures: [],
  failures: hasPassed
    ? []
    : [{ path: name, title: null, message, command: [command, ...args].join(' ') }],
});
process.exit(hasPassed ? 0 : 1);
