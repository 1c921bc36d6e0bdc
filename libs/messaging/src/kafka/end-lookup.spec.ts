import { setTimeout as sleep } from 'node:timers/promises';
import { LogUnavailable } from '../message-log';
import { EndLookup } from './end-lookup';

/** A topic that ends at `topic.end` when it is asked for; answers come when they are let go. */
const lookupWith = ({ sharedForMs = 0, gapMs = 0 } = {}) => {
  const topic = { end: 0 };
  const clock = { ms: 1_000 };
  const asked: (() => void)[] = [];
  const lookup = new EndLookup({
    sharedForMs,
    gapMs: () => gapMs,
    nowMs: () => clock.ms,
    lookUp: () => {
      const { end } = topic;
      return new Promise((resolve) =>
        asked.push(() => {
          resolve(end);
        }),
      );
    },
  });
  const answer = async (): Promise<void> => {
    while (asked.length === 0) await sleep(1);
    asked.shift()?.();
  };
  return { lookup, topic, clock, asked, answer };
};

it('asks once for all that wait, and again for who came after it had begun', async () => {
  const { lookup, topic, asked, answer } = lookupWith();
  topic.end = 1;
  const first = [lookup.present(), lookup.present()];
  while (asked.length === 0) await sleep(1);
  topic.end = 2;
  const second = [lookup.present(), lookup.present(), lookup.present()];
  await sleep(20);
  expect(asked).toHaveLength(1);

  await answer();
  expect(await Promise.all(first)).toEqual([1, 1]);
  await answer();
  expect(await Promise.all(second)).toEqual([2, 2, 2]);
  expect(asked).toHaveLength(0);
});

it('shares an answer for the given time after it was asked for, and no longer', async () => {
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

it('lets time pass between two look-ups of a busy writer', async () => {
  const { lookup, asked, answer } = lookupWith({ gapMs: 30 });
  const first = lookup.present();
  await answer();
  await first;
  const second = lookup.present();
  await sleep(5);
  expect(asked).toHaveLength(0);
  await answer();
  await second;
});

it('says within a second that nobody answers, and asks anew afterwards', async () => {
  const { lookup, topic, asked, answer } = lookupWith();
  await expect(lookup.present()).rejects.toThrow(LogUnavailable);
  topic.end = 3;
  const next = lookup.present();
  await answer();
  await answer();
  expect(await next).toBe(3);
  expect(asked).toHaveLength(0);
});

it('passes an error on to all that wait, and asks anew for the next', async () => {
  const answers = [Promise.reject(new Error('refused')), Promise.resolve(7)];
  const lookUp = () => answers.shift() ?? Promise.resolve(0);
  const lookup = new EndLookup({ sharedForMs: 250, gapMs: () => 0, lookUp });
  const outcomes = await Promise.allSettled([lookup.present(), lookup.present()]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await lookup.present()).toBe(7);
});
