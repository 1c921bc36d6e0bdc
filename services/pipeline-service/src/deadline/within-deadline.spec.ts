import { withinDeadline } from './within-deadline';

it('returns the result of the work, or its failure', async () => {
  expect(await withinDeadline(() => Promise.resolve('done'))).toBe('done');
  const error = new Error('broken');
  await expect(withinDeadline(() => Promise.reject(error))).rejects.toBe(error);
});

it('stops waiting at the deadline, and signals it to the work', async () => {
  let given: AbortSignal | undefined;
  const hanging = withinDeadline(
    (signal) => {
      given = signal;
      return new Promise(() => undefined);
    },
    undefined,
    50,
  );
  await expect(hanging).rejects.toMatchObject({
    code: 'ServiceUnavailable',
    message: 'service is unavailable: no answer within 0.05 s',
  });
  expect(given?.aborted).toBe(true);
});

it('stops waiting when the client does, and signals it to the work', async () => {
  const controller = new AbortController();
  let given: AbortSignal | undefined;
  const hanging = withinDeadline((signal) => {
    given = signal;
    return new Promise(() => undefined);
  }, controller.signal);
  controller.abort(new Error('nobody waits'));
  await expect(hanging).rejects.toThrow('nobody waits');
  expect(given?.aborted).toBe(true);
  const work = jest.fn();
  await expect(withinDeadline(work, controller.signal)).rejects.toThrow('nobody waits');
  expect(work).not.toHaveBeenCalled();
});
