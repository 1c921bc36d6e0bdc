import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { build, ENVIRONMENT, install, ROOT } from './install.mjs';

install();
build();

// Events live for milliseconds: a larger young generation collects most of them for free. The
// old one is collected when it has doubled, not grown fourfold: a third less memory, a twentieth more CPU. One thread
// helps with it: four of them hold up the one that serves, where there are two processors, for tens of milliseconds.
const FLAGS = ['--max-semi-space-size=32', '--heap-growing-percent=100', '--v8-pool-size=1'];

const service = spawn(
  process.execPath,
  [...FLAGS, join(ROOT, 'services', 'standalone', 'dist', 'main.js')],
  {
    stdio: 'inherit',
    env: ENVIRONMENT,
  },
);

// Ctrl-C in a terminal reaches the service by itself; it decides when everything is closed.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => service.kill('SIGTERM'));
service.on('exit', (code, signal) => {
  process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
});
