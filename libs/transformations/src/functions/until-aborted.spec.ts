import { untilAborted } from './until-aborted';

const never = new Promise<never>(() => undefined);

it('settles like the work, with a signal and without', async () => {
  const { signal } = new AbortController();
  expect(await untilAborted(Promise.resolve(1))).toBe(1);
  expect(await untilAborted(Promise.resolve(1), signal)).toBe(1);
  await expect(untilAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
});

it("throws the signal's reason when it is aborted, before or during the work", async () => {
  const controller = new AbortController();
  const waiting = untilAborted(never, controller.signal);
  controller.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  await expect(untilAborted(never, controller.signal)).rejects.toThrow('gone');
});

it('handles a later rejection of the work', async () => {
  const controller = new AbortController();
  let fail: (error: Error) => void = () => undefined;
  const work = new Promise<never>((_, reject) => (fail = reject));
  const waiting = untilAborted(work, controller.signal);
  controller.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  fail(new Error('too late'));
  await new Promise(setImmediate);
});
