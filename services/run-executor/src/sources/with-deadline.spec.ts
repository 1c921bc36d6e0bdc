import { getEventListeners } from 'node:events';
import { withDeadline } from './with-deadline';

const LONG_MS = 60_000;

it('returns what the call gives, and leaves nothing waiting on the signal', async () => {
  const { signal } = new AbortController();
  const undone: string[] = [];
  const undo = (late: string): Promise<void> => Promise.resolve(void undone.push(late));
  await expect(withDeadline(LONG_MS, signal, () => Promise.resolve('in time'), undo)).resolves.toBe(
    'in time',
  );
  await expect(
    withDeadline(LONG_MS, signal, () => Promise.reject(new Error('it fails')), undo),
  ).rejects.toThrow('it fails');
  expect(undone).toEqual([]);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('releases what comes after the deadline', async () => {
  let give: (late: string) => void = () => undefined;
  const late = new Promise<string>((resolve) => (give = resolve));
  const undone = new Promise<string>((resolve) => {
    const undo = (each: string): Promise<void> => Promise.resolve(resolve(each));
    const call = withDeadline(1, new AbortController().signal, () => late, undo);
    void expect(call)
      .rejects.toThrow('no answer within 0.001 s')
      .then(() => {
        give('a file');
      });
  });
  await expect(undone).resolves.toBe('a file');
});

it('releases what comes after the signal', async () => {
  const control = new AbortController();
  let give: (late: string) => void = () => undefined;
  const late = new Promise<string>((resolve) => (give = resolve));
  const undone: string[] = [];
  const call = withDeadline(
    LONG_MS,
    control.signal,
    () => late,
    (each) => Promise.resolve(void undone.push(each)),
  );
  control.abort(new Error('it stops'));
  await expect(call).rejects.toThrow('it stops');
  give('a file');
  await new Promise((resolve) => setImmediate(resolve));
  expect(undone).toEqual(['a file']);
});
