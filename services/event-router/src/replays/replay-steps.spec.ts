import { REPLAY_COUNTS, REPLAY_DELIVERY_COUNTS } from '@penstock/contracts';
import fc from 'fast-check';
import { deliverySteps, shadowSteps, type StepNumbers } from './replay-steps';
import { noCounts } from './slice-results';

/** Whether each step has passed what the next one has passed or failed, as far as there is a next one. */
const isConserved = ({ passed, failed }: StepNumbers, steps: number): boolean =>
  Array.from({ length: steps - 1 }, (_, at) => at).every(
    (at) => passed[at] === (passed[at + 1] ?? NaN) + (failed[at + 1] ?? NaN),
  );

it('counts by step what a replay that delivers has ended', () => {
  const counts = {
    ...{ events: 100, delivered: 40, rejected: 15, parked: 2, filtered: 10, suppressed: 3 },
    ...{ duplicates: 4, unreadable: 1, expired: 5, left: 20 },
    ...{ InputValidation: 1, Transformation: 5, OutputValidation: 2 },
  };
  expect(deliverySteps(counts)).toEqual({
    passed: [70, 69, 56, 51, 49, 40],
    failed: [10, 1, 13, 5, 2, 9],
  });
});

it('counts at the request what an earlier version of the router has rejected', () => {
  const counts = { events: 5, delivered: 3, rejected: 2 };
  expect(deliverySteps(counts)).toEqual({
    passed: [5, 5, 5, 5, 5, 3],
    failed: [0, 0, 0, 0, 0, 2],
  });
});

it('counts by step what a shadow replay has compared, and nothing as sent', () => {
  const counts = {
    ...{ ...noCounts(), events: 90, matched: 60, rejected: 12, rejectedByOutput: 5 },
    ...{ duplicates: 4, suppressed: 3, unreadable: 1, expired: 2, same: 90 },
  };
  expect(shadowSteps(counts)).toEqual({
    passed: [93, 93, 60, 53, 48, 0],
    failed: [7, 0, 33, 7, 5, 0],
  });
  expect(shadowSteps({ ...noCounts(), events: 2, matched: 2, rejected: 1 })).toEqual({
    passed: [2, 2, 2, 1, 1, 0],
    failed: [0, 0, 0, 1, 0, 0],
  });
});

const count = fc.nat(1_000);

it('conserves every event that has ended, whatever the counts', () => {
  const ended = REPLAY_DELIVERY_COUNTS.filter((name) => !['events', 'open', 'left'].includes(name));
  const steps = ['InputValidation', 'Transformation', 'OutputValidation'];
  const counted = fc.record(Object.fromEntries([...ended, ...steps].map((name) => [name, count])));
  fc.assert(
    fc.property(counted, (given) => {
      const before = steps.reduce((sum, name) => sum + (given[name] ?? 0), 0);
      const rejected = (given['rejected'] ?? 0) + before;
      const counts: Readonly<Record<string, number>> = { ...given, rejected };
      const numbers = deliverySteps(counts);
      const all = ended.reduce((sum, name) => sum + (counts[name] ?? 0), 0);
      expect((numbers.passed[0] ?? 0) + (numbers.failed[0] ?? 0)).toBe(all);
      expect(numbers.passed.at(-1)).toBe(given['delivered']);
      expect(isConserved(numbers, 6)).toBe(true);
    }),
  );
});

it('conserves every event that was compared', () => {
  const counted = fc.record(Object.fromEntries(REPLAY_COUNTS.map((name) => [name, count])));
  fc.assert(
    fc.property(counted, count, (given, rejectedByOutput) => {
      const rejected = (given['rejected'] ?? 0) + rejectedByOutput;
      const matched = (given['matched'] ?? 0) + rejected;
      const events = (given['events'] ?? 0) + matched;
      const numbers = shadowSteps({
        ...{ ...noCounts(), ...given, events, matched, rejected, rejectedByOutput },
      });
      expect(isConserved(numbers, 5)).toBe(true);
      expect([numbers.passed[5], numbers.failed[5]]).toEqual([0, 0]);
    }),
  );
});
