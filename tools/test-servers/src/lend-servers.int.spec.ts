import { randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { borrowServer } from './borrow-server';

const PROGRAM = join(__dirname, '../test/lend-servers.cjs');
const MODULE = join(__dirname, '../test/counted-server.cjs');

const request = (start: string, options: object = {}) => ({
  ...{ name: `spec ${randomBytes(4).toString('hex')}`, module: MODULE, start, options },
});

it('starts a server once for all that ask for its name', async () => {
  const [one, other] = [request('startCounted'), request('startCounted')];
  const asked = await Promise.all([one, one, other].map((each) => borrowServer(each)));
  const [first, again, second] = asked as { starts: number }[];
  expect(again).toEqual(first);
  expect(second?.starts).toBe((first?.starts ?? 0) + 1);
});

it('tells each that asks why a server has not started, and does not try again', async () => {
  const failing = request('failToStart');
  const outcomes = await Promise.allSettled([1, 2].map(() => borrowServer(failing)));
  const [reason, ...others] = new Set(outcomes.map((each) => String(Object.values(each)[1])));
  expect(reason).toMatch(/^Error: spec \w+ does not start: start \d+ has failed$/);
  expect(others).toEqual([]);
});

it('stops its servers when its parent ends, however that ends', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lent-servers-'));
  const mark = join(folder, 'ended');
  const lender = spawn(process.execPath, [PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    const [printed] = (await once(lender.stdout, 'data')) as [Buffer];
    const response = await fetch(printed.toString().trim(), {
      method: 'POST',
      body: JSON.stringify(request('startCounted', { endsIn: mark })),
    });
    expect(await response.json()).toEqual({ starts: 1 });
    // As the system does for a process that is killed.
    lender.stdin.destroy();
    expect(await once(lender, 'exit')).toEqual([0, null]);
    expect(existsSync(mark)).toBe(true);
  } finally {
    lender.kill('SIGKILL');
    await rm(folder, { recursive: true });
  }
});
