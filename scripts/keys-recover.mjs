import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build, ENVIRONMENT, install, ROOT } from './install.mjs';

install();
build();
const main = join(ROOT, 'services', 'standalone', 'dist', 'recover-key-main.js');
const { status } = spawnSync(process.execPath, [main], {
  stdio: 'inherit',
  env: ENVIRONMENT,
});
process.exit(status ?? 1);
