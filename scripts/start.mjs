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
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: ENVIRONMENT,
  },
);

let isClosing = false;
service.once('message', () => (isClosing = true));

/** Time for the service to say that it is closing: it has the signal already where its process group was sent it. */
const SAYS_SO_MS = 100;

// Ctrl-C in a terminal reaches the whole process group; this process exits when the service does.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () =>
  setTimeout(() => {
    if (!isClosing) service.kill('SIGTERM');
  }, SAYS_SO_MS),
);
service.on('exit', (code, signal) => {
  process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
});
