import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { median } from './percentile';
import { cells, heading, option, print } from './table';

const ROOT = resolve(__dirname, '..', '..');
const ROUNDS = option('rounds', 5);
const READY = 'Penstock is ready';

/** Starts a command, stops it as Ctrl-C does once it is ready. @returns seconds from the command to readiness. */
const secondsToReady = async (
  [command, ...args]: readonly [string, ...string[]],
  dataDir: string,
): Promise<number> => {
  const began = performance.now();
  const child = spawn(command, args, {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PENSTOCK_DATA: dataDir, PENSTOCK_PORT: '0', PENSTOCK_OPS_PORT: '0' },
  });
  const exited = once(child, 'exit');
  let output = '';
  await new Promise<void>((ready, fail) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes(READY)) ready();
    });
    child.once('exit', () => {
      fail(new Error(`it has ended: ${output}`));
    });
  });
  const seconds = (performance.now() - began) / 1_000;
  process.kill(-(child.pid ?? 0), 'SIGINT');
  await exited;
  return seconds;
};

/** Measures what `npm start` adds to the start of the process itself, when there is nothing to install or compile. */
export const measureStart = async (): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'penstock-bench-'));
  await chmod(folder, 0o711);
  const dataDir = join(folder, 'data');
  const main = join(ROOT, 'services', 'standalone', 'dist', 'main.js');
  try {
    print(heading('seconds until ready', 'node alone', 'npm start', 'more'));
    const first = await secondsToReady(['npm', 'start'], dataDir);
    print(cells('first start, with a new database', '', first.toFixed(2), ''));
    const [alone, whole]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      alone.push(await secondsToReady([process.execPath, main], dataDir));
      whole.push(await secondsToReady(['npm', 'start'], dataDir));
    }
    const [own, npm] = [median(alone), median(whole)];
    print(
      cells(
        `median of ${ROUNDS} later starts`,
        own.toFixed(2),
        npm.toFixed(2),
        (npm - own).toFixed(2),
      ),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
