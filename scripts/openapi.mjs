import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, install, ROOT, run } from './install.mjs';

// Writes the API's document from the gateway's code, and the client's types from the document.

install();
build();
run(process.execPath, [join(ROOT, 'services', 'api-gateway', 'dist', 'openapi-main.js')]);
const { status, stdout } = spawnSync(process.execPath, [join(ROOT, 'scripts', 'api-types.mjs')], {
  stdio: ['ignore', 'pipe', 'inherit'],
  maxBuffer: 16 * 1_048_576,
});
if (status !== 0) process.exit(status ?? 1);
writeFileSync(join(ROOT, 'libs', 'client', 'src', 'api-types.ts'), stdout);
