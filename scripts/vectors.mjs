import { join } from 'node:path';
import { build, install, ROOT, run } from './install.mjs';

install();
build();
run(process.execPath, [
  join(ROOT, 'tools', 'vectors', 'dist', 'main.js'),
  ...process.argv.slice(2),
]);
