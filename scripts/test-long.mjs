import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build, ENVIRONMENT, install, ROOT } from './install.mjs';

/**
 * Runs the long forms of specs: `npm run test:long -- NAME…`, where a name is a part of the path of spec files, such as
 * `router-faults/kills`. Further arguments go to jest (`-t "a title"`). `PENSTOCK_TEST_SEED` repeats a run with the
 * seed that a spec printed.
 */
const names = process.argv.slice(2);
if (names.length === 0) {
  process.stderr.write('usage: npm run test:long -- NAME… [arguments of jest]\n');
  process.exit(2);
}

install();
build();
const { status } = spawnSync(
  join(ROOT, 'node_modules', '.bin', 'jest'),
  ['--runInBand', ...names],
  { cwd: ROOT, stdio: 'inherit', env: { ...ENVIRONMENT, PENSTOCK_TEST_LONG: '1' } },
);
process.exit(status ?? 1);
