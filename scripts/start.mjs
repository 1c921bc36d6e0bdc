import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { build, ENVIRONMENT, install, ROOT } from './install.mjs';
import { NODE_FLAGS } from './node-flags.mjs';

install();
build();

// Whoever read the output has left: the service notices it too, and stops in order.
process.stdout.on('error', () => undefined);

const service = spawn(
  process.execPath,
  [...NODE_FLAGS, join(ROOT, 'services', 'standalone', 'dist', 'main.js')],
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
