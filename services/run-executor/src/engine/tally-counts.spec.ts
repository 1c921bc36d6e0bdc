import type { SettledAs } from '@penstock/warehouses';
import { ALL_STEPS, Tally } from './tally';

/** What records count that have ended in these ways. */
const tallied = (ends: readonly SettledAs[], steps = ALL_STEPS): Tally => {
  const tally = new Tally(steps);
  for (const end of ends) tally.count(end);
  return tally;
};

it('a record passes the steps before the one where it ends, and none after it', () => {
  const { passed, failed, recounted } = tallied(['Receive', 'Filter', 'Finalize', 'Merged']);
  expect(passed).toEqual([3, 3, 2, 2, 2, 1]);
  expect(failed).toEqual([1, 0, 1, 0, 0, 1]);
  expect(recounted).toEqual([0, 0, 0, 0, 0, 0]);
});

it('a step that the kind of run has not counts nothing', () => {
  const { passed } = tallied(['Merged'], { ...ALL_STEPS, Filter: false });
  expect(passed).toEqual([1, 1, 0, 1, 1, 1]);
});

it('errors are told with their records: with ids, without, and those that are told again', () => {
  const tally = new Tally(ALL_STEPS);
  const reason = { code: 'Refused', message: 'out of range' } as const;
  tally.explain('Finalize', reason, 'a');
  tally.explain('Finalize', reason, null);
  tally.explainAgain('Finalize', reason, 'b');
  tally.explain('Filter', reason, 'c');
  tally.recount('Filter');
  expect(tally.errors).toEqual([
    {
      step: 'Finalize',
      ...reason,
      count: 3,
      withoutId: 1,
      again: 1,
      samples: ['a', 'b'],
      places: [],
    },
    { step: 'Filter', ...reason, count: 1, withoutId: 0, again: 0, samples: ['c'], places: [] },
  ]);
  expect(tally.recounted).toEqual([0, 0, 1, 0, 0, 0]);
});
