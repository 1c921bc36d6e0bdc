import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { commandLineOf, identify, isRunning } from './process-identity';

it('distinguishes a process from a later one with its pid, and from one that has ended', async () => {
  const child = spawn('sleep', ['60']);
  await once(child, 'spawn');
  const identity = await identify(child.pid ?? 0);
  if (!identity) throw new Error('a running process has an identity');

  expect(await isRunning(identity)).toBe(true);
  expect(await isRunning({ ...identity, startedAt: '1' })).toBe(false);
  expect(await commandLineOf(identity.pid)).toContain('sleep 60');

  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await isRunning(identity)).toBe(false);
  expect(await commandLineOf(identity.pid)).toBe('');
});
