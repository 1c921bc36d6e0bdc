import type { LogRecord } from '../message-log';
import { forEachKey } from './for-each-key';

const recordsOf = (...keys: string[]): LogRecord[] =>
  keys.map((key, offset) => ({ partition: 0, offset, timestampMs: 0, key, value: null }));

const tick = () => new Promise(setImmediate);

it('handles a key in order, and different keys at the same time, up to the bound', async () => {
  const atWork = new Set<string>();
  const ended: string[] = [];
  let most = 0;
  await forEachKey(recordsOf('a', 'b', 'a', 'c', 'd', 'b'), 3, async ({ key, offset }) => {
    expect(atWork.has(key)).toBe(false);
    atWork.add(key);
    most = Math.max(most, atWork.size);
    await tick();
    atWork.delete(key);
    ended.push(`${key}${offset}`);
  });
  expect(most).toBe(3);
  expect(ended.filter((entry) => entry.startsWith('a'))).toEqual(['a0', 'a2']);
  expect(ended.filter((entry) => entry.startsWith('b'))).toEqual(['b1', 'b5']);
  expect(ended).toHaveLength(6);
});

it('leaves the rest of a key that failed, ends the others, and fails', async () => {
  const handled: string[] = [];
  const run = forEachKey(recordsOf('a', 'a', 'b', 'c'), 1, async ({ key, offset }) => {
    await tick();
    handled.push(`${key}${offset}`);
    if (key === 'a') throw new Error('a has failed');
  });
  await expect(run).rejects.toThrow('a has failed');
  expect(handled).toEqual(['a0', 'b2', 'c3']);
});

it('has nothing to do for no records', async () => {
  await expect(forEachKey([], 4, () => Promise.reject(new Error()))).resolves.toBeUndefined();
});
