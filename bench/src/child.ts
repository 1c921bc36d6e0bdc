import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadOptions, LoadResult } from './load-generator';
import { flag } from './table';

/** Root of the checkout whose services are measured; `PENSTOCK_BENCH_ROOT` names another one. */
const ROOT = process.env['PENSTOCK_BENCH_ROOT'] ?? join(__dirname, '..', '..');

/** Starts a helper process, which reports its port. */
export const startHelper = async (
  name: 'baseline-server' | 'bare-api-server' | 'destination-server' | 'otlp-server',
  ...given: readonly string[]
): Promise<{ readonly process: ChildProcess; readonly port: number }> => {
  const child = fork(join(__dirname, `${name}.js`), given);
  const [message] = (await once(child, 'message')) as [{ port: number }];
  return { process: child, port: message.port };
};

export const runLoad = async (options: LoadOptions): Promise<LoadResult> => {
  const child = fork(join(__dirname, 'load-process.js'));
  child.send(options);
  const [result] = (await once(child, 'message')) as [LoadResult];
  return result;
};

/** The flags of `npm start` and the image. */
const FLAGS = ['--max-semi-space-size=32', '--heap-growing-percent=100', '--v8-pool-size=1'];
const PROFILED = ['--require', join(__dirname, 'profiled.js')];

/** Starts a service as in production, with its output in a file. */
export const startService = (
  service: string,
  env: Readonly<Record<string, string>>,
  folder: string,
): ChildProcess => {
  const output = openSync(join(folder, `${service}.log`), 'a');
  const main = join(ROOT, 'services', service, 'dist', 'main.js');
  return spawn(process.execPath, [...(flag('profile') ? PROFILED : []), ...FLAGS, main], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      LOG_FORMAT: 'json',
      LOG_LEVEL: 'warn',
      PENSTOCK_DRAIN_SECONDS: '0',
      ...env,
    },
    stdio: ['ignore', output, output],
  });
};

export const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
};

/** Resolves when the address answers 200. @throws Error after a minute. */
export const untilReady = async (address: string): Promise<void> => {
  for (const end = Date.now() + 60_000; Date.now() < end;) {
    const isReady = await fetch(`${address}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${address} did not get ready`);
};
