import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build, ENVIRONMENT, install, ROOT } from './install.mjs';

install();
build();
const main = join(ROOT, 'services', 'pipeline-service', 'dist', 'audit-verify-main.js');
const { status } = spawnSync(process.execPath, [main, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: ENVIRONMENT,
});
process.exit(status ?? 1);
