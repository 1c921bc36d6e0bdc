import { setTimeout as sleep } from 'node:timers/promises';
import { LogUnavailable } from '../message-log';
import { EndLookup } from './end-lookup';

/** A topic that ends at `topic.end` when it is looked up; results arrive when the spec releases them. */
const lookupWith = ({ sharedForMs = 0, gapMs = 0, timeoutMs = 20_000 } = {}) => {
  const topic = { end: 0 };
  const clock = { ms: 1_000 };
  const lookUps: (() => void)[] = [];
  const lookup = new EndLookup({
    sharedForMs,
    timeoutMs,
    gapMs: () => gapMs,
    nowMs: () => clock.ms,
    lookUp: () => {
      const { end } = topic;
      return new Promise((resolve) =>
        lookUps.push(() => {
          resolve(end);
        }),
      );
    },
  });
  const answer = async (): Promise<void> => {
    while (lookUps.length === 0) await sleep(1);
    lookUps.shift()?.();
  };
  return { lookup, topic, clock, lookUps, answer };
};

it('makes one look-up for all waiting callers, and another for callers after its start', async () => {
  const { lookup, topic, lookUps, answer } = lookupWith();
  topic.end = 1;
  const first = [lookup.present(), lookup.present()];
  while (lookUps.length === 0) await sleep(1);
  topic.end = 2;
  const second = [lookup.present(), lookup.present(), lookup.present()];
  await sleep(20);
  expect(lookUps).toHaveLength(1);

  await answer();
  expect(await Promise.all(first)).toEqual([1, 1]);
  await answer();
  expect(await Promise.all(second)).toEqual([2, 2, 2]);
  expect(lookUps).toHaveLength(0);
});

it('reuses a result for the given time after its look-up began, and no longer', async () => {
  const { lookup, topic, clock, answer } = lookupWith({ sharedForMs: 250 });
  topic.end = 1;
  const first = lookup.present();
  await answer();
  expect(await first).toBe(1);
  topic.end = 2;
  clock.ms += 249;
  expect(await lookup.present()).toBe(1);
  clock.ms += 1;
  const late = lookup.present();
  await answer();
  expect(await late).toBe(2);
});

it('keeps a gap between two look-ups of a busy writer', async () => {
  const begunMs: number[] = [];
  const lookUp = () => Promise.resolve(begunMs.push(performance.now()));
  const lookup = new EndLookup({ sharedForMs: 0, timeoutMs: 20_000, gapMs: () => 30, lookUp });
  for (let n = 1; n <= 2; n += 1) expect(await lookup.present()).toBe(n);
  const [first = 0, second = 0] = begunMs;
  // A timer may be early by the part of a millisecond.
  expect(second - first).toBeGreaterThan(28);
});

it('rejects in time when there is no answer, and looks up again afterwards', async () => {
  const { lookup, topic, lookUps, answer } = lookupWith({ timeoutMs: 1_000 });
  await expect(lookup.present()).rejects.toThrow(LogUnavailable);
  topic.end = 3;
  const next = lookup.present();
  await answer();
  await answer();
  expect(await next).toBe(3);
  expect(lookUps).toHaveLength(0);
});

it('passes an error to all waiting callers, and looks up again for the next', async () => {
  const answers = [Promise.reject(new Error('refused')), Promise.resolve(7)];
  const lookUp = () => answers.shift() ?? Promise.resolve(0);
  const lookup = new EndLookup({ sharedForMs: 250, timeoutMs: 20_000, gapMs: () => 0, lookUp });
  const outcomes = await Promise.allSettled([lookup.present(), lookup.present()]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await lookup.present()).toBe(7);
});
