import { type FailureGroup, replayErrors } from './replay-errors';
import { deliverySteps, shadowSteps } from './replay-steps';
import { noCounts } from './slice-results';

const group = (members: Partial<FailureGroup>): FailureGroup => ({
  ...{ step: 'Finalize', code: '400', reason: 'answered 400', count: 1, samples: ['m1'] },
  ...members,
});

it('names why deliveries were rejected, with the ids of events and without values', () => {
  const counts = { rejected: 9, parked: 1, Transformation: 3, unreadable: 2 };
  const groups = [
    group({ count: 4 }),
    group({ step: 'Transformation', code: 'RangeError', reason: '', count: 3, samples: ['m2'] }),
  ];
  expect(replayErrors(counts, deliverySteps(counts), groups)).toEqual([
    {
      ...{ step: 'Receive', code: 'Unreadable', message: 'the record cannot be read' },
      ...{ count: 2, samples: [] },
    },
    { step: 'Finalize', code: '400', message: 'answered 400', count: 4, samples: ['m1'] },
    {
      ...{ step: 'Transformation', code: 'RangeError', message: 'the transformation failed' },
      ...{ count: 3, samples: ['m2'] },
    },
    { step: 'Finalize', code: 'Other', message: 'other errors', count: 3, samples: [] },
  ]);
});

it('has for each step of a shadow replay what it has rejected there, and none of its filter', () => {
  const counts = {
    ...{ ...noCounts(), events: 20, matched: 10, rejected: 5, rejectedByOutput: 2 },
    ...{ duplicates: 1, suppressed: 3, expired: 4 },
  };
  const errors = replayErrors(counts, shadowSteps(counts), null);
  expect(errors.map(({ step, code, count }) => [step, code, count])).toEqual([
    ['Receive', 'Duplicate', 1],
    ['Receive', 'Expired', 4],
    ['Transformation', 'Rejected', 3],
    ['OutputValidation', 'Rejected', 2],
  ]);
});

it('cuts messages and ids that are long', () => {
  const reason = (length: number) =>
    group({ reason: 'r'.repeat(length), samples: ['s'.repeat(length)] });
  const told = (length: number) => {
    const [error] = replayErrors({ rejected: 1 }, deliverySteps({ rejected: 1 }), [reason(length)]);
    return [error?.message.length, error?.samples[0]?.length];
  };
  expect([told(200), told(201), told(256), told(257)]).toEqual([
    [200, 200],
    [200, 201],
    [200, 256],
    [200, 256],
  ]);
});
