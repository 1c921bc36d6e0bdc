import { healthy } from './behaviours';
import type { FanOutEvent } from './fan-out-event';
import { findings } from './findings';
import { Ledger } from './ledger';
import type { Plan } from './plan';

const PLAN: Plan = {
  sources: [[0]],
  destinations: [
    {
      name: 'picky',
      batchSize: 1,
      usual: healthy(),
      isRefused: ({ number }) => number === 3,
      troubles: [],
    },
  ],
  pipelines: [{ name: 'all', destination: 0, transformation: 'mapping' }],
};

const event = (number: number): FanOutEvent => ({ source: 0, user: 7, number });
const EVENTS = [0, 1, 2, 3, 4].map(event);

/** @param numbers in the order of their arrival. */
const found = (
  numbers: readonly number[],
  status = 200,
  keyOf: (number: number) => string = String,
): string[] => {
  const ledger = new Ledger();
  for (const number of numbers)
    ledger.note({
      pipeline: 'all',
      event: event(number),
      atMs: 0,
      status,
      idempotencyKey: keyOf(number),
    });
  return findings({ plan: PLAN, ledger, events: EVENTS });
};

it('has no findings for deliveries by the plan, or for repeated ones', () => {
  expect(found([0, 1, 2, 4])).toEqual([]);
  expect(found([0, 1, 0, 1, 2, 4])).toEqual([]);
});

it('lists events that were not delivered, tried or not', () => {
  expect(found([0, 1, 4])).toEqual(['all lost: 1, such as 0/7/2']);
  expect(found([0, 1, 2, 4], 500)).toEqual(['all lost: 4, such as 0/7/0, 0/7/1, 0/7/2, 0/7/4']);
});

it('lists events that were delivered against the plan or never accepted', () => {
  expect(found([0, 1, 2, 3, 4])).toEqual(['all delivered what it should not have: 1, such as 3']);
  expect(found([0, 1, 2, 4, 5])).toEqual(['all delivered what it should not have: 1, such as 5']);
});

it('lists users whose events came out of order, by their first successes', () => {
  expect(found([0, 2, 1, 4])).toEqual(['all out of order: 1, such as 0/7 (0 2 1 4)']);
});

it('lists events that came with two idempotency keys', () => {
  let calls = 0;
  const another = (): string => String((calls += 1));
  expect(found([0, 0, 1, 2, 4], 200, another)).toEqual([
    'another idempotency key: 1, such as 0/7/0',
  ]);
});
