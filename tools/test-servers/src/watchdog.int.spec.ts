import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { watchOver } from './watchdog';

const CHILD = join(__dirname, '../test/watch-in-child.js');

jest.setTimeout(60_000);

let folder: string;
let watched: ChildProcess;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watchdog-'));
  watched = spawn('sleep', ['600']);
  await once(watched, 'spawn');
});

afterEach(async () => {
  watched.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

it('ends the process and removes its folder when the parent is killed', async () => {
  const ended = once(watched, 'exit');
  const parent = spawn(process.execPath, [CHILD, `${watched.pid}`, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(parent.stdout, 'data');
  parent.kill('SIGKILL');

  expect(await ended).toEqual([null, 'SIGINT']);
  while (existsSync(folder)) await sleep(50);
});

it('kills a process that does not end by SIGINT', async () => {
  const stubborn = spawn('sh', ['-c', 'trap "" INT; echo ready; while :; do sleep 1; done'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(stubborn.stdout, 'data');
  const ended = once(stubborn, 'exit');
  const parent = spawn(process.execPath, [CHILD, `${stubborn.pid}`, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(parent.stdout, 'data');
  parent.kill('SIGKILL');

  expect(await ended).toEqual([null, 'SIGKILL']);
  while (existsSync(folder)) await sleep(50);
});

it('ends what is frozen or left in the group of a process', async () => {
  const leader = spawn('sh', ['-c', 'sleep 600 & kill -STOP $!; echo $!; wait'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(leader.stdout, 'data')) as [Buffer];
  const parent = spawn(process.execPath, [CHILD, `${leader.pid}`, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(parent.stdout, 'data');
  parent.kill('SIGKILL');
  const isThere = (): boolean => existsSync(`/proc/${line.toString().trim()}/exe`);
  for (let tries = 0; (isThere() || existsSync(folder)) && tries < 300; tries += 1) await sleep(50);
  expect([isThere(), existsSync(folder)]).toEqual([false, false]);
});

it('does nothing after it was cancelled', async () => {
  watchOver(watched.pid ?? 0, folder)();
  await sleep(500);
  expect([watched.exitCode, watched.signalCode, existsSync(folder)]).toEqual([null, null, true]);
});
