import { EventEmitter } from 'node:events';
import { watchOutput } from './watch-output';

const BROKEN = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });

it('calls back once, however many writes fail', () => {
  const streams = { stdout: new EventEmitter(), stderr: new EventEmitter() };
  let calls = 0;
  watchOutput(() => (calls += 1), streams);
  streams.stderr.emit('error', BROKEN);
  expect(calls).toBe(0);
  streams.stdout.emit('error', BROKEN);
  streams.stdout.emit('error', BROKEN);
  expect(calls).toBe(1);
});

it.each([
  ['EPIPE', 1],
  ['ERR_STREAM_DESTROYED', 1],
  ['ENOSPC', 0],
  ['EIO', 0],
  ['EAGAIN', 0],
])('calls back after a write that failed with %s: %d times', (code, expected) => {
  const streams = { stdout: new EventEmitter(), stderr: new EventEmitter() };
  let calls = 0;
  watchOutput(() => (calls += 1), streams);
  streams.stdout.emit('error', Object.assign(new Error(code), { code }));
  expect(calls).toBe(expected);
});
