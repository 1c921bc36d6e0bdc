import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { build, ENVIRONMENT, install, ROOT } from './install.mjs';

install();
build();

// Most events die within milliseconds: a larger young generation collects them at almost no cost. The old generation is
// collected when it has doubled instead of quadrupled: a third less memory for a twentieth more CPU. One worker thread
// for garbage collection: on two processors, four of them delay the main thread by tens of milliseconds.
const FLAGS = ['--max-semi-space-size=32', '--heap-growing-percent=100', '--v8-pool-size=1'];

const service = spawn(
  process.execPath,
  [...FLAGS, join(ROOT, 'services', 'standalone', 'dist', 'main.js')],
  {
    stdio: 'inherit',
    env: ENVIRONMENT,
  },
);

// Ctrl-C in a terminal reaches the service directly; this process exits when the service does.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => service.kill('SIGTERM'));
service.on('exit', (code, signal) => {
  process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
});
