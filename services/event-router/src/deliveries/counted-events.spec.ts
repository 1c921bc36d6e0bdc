import { CountedEvents, type CountedRow } from './counted-events';
import { stepsOf } from './steps-of';

const base = (name: string, enabled: boolean, count: number): CountedRow => ({
  enabled,
  name,
  step: '',
  code: '',
  plain: false,
  count,
});
const counted = (name: string, step: string, code: string, count: number, plain = false) => ({
  enabled: null,
  name,
  step,
  code,
  plain,
  count,
});

const of = (...rows: readonly CountedRow[]): CountedEvents => {
  const events = new CountedEvents();
  for (const row of rows) events.add(row);
  return events;
};

const ROWS = [
  base('New', true, 100),
  base('New', false, 7),
  base('Duplicate', true, 5),
  base('DifferentBody', true, 2),
  base('Suppressed', true, 3),
  counted('Matched', 'Filter', '', 60),
  counted('Filtered', 'Filter', 'OptedOut', 4),
  counted('Filtered', 'Filter', 'Suppressed', 1),
  counted('Rejected', 'InputValidation', '', 2),
  counted('Rejected', 'Transformation', '', 6),
  counted('Rejected', 'OutputValidation', '', 3),
  counted('Rejected', 'Finalize', '404', 8),
  counted('Parked', 'Finalize', 'Deleted', 1),
  counted('Delivered', 'Finalize', '', 30),
];

it('counts what no filter has matched by subtraction, and what is open', () => {
  const { accepted, opened, open, endings } = of(...ROWS);
  expect({ accepted, opened, open }).toEqual({ accepted: 117, opened: 60, open: 9 });
  const found = Object.fromEntries(
    endings.map(({ state, step, code, count }) => [`${state} ${step} ${code}`.trim(), count]),
  );
  expect(found).toEqual({
    'Filtered Filter': 100 - 60 - 4,
    'Filtered Filter Disabled': 7,
    'Filtered Filter OptedOut': 4,
    'Filtered Filter Suppressed': 4,
    'Duplicate Receive': 5,
    'Duplicate Receive DifferentBody': 2,
    'Rejected InputValidation': 2,
    'Rejected Transformation': 6,
    'Rejected OutputValidation': 3,
    'Rejected Finalize 404': 8,
    'Parked Finalize Deleted': 1,
    'Delivered Finalize': 30,
  });
  expect(endings.reduce((sum, { count }) => sum + count, open)).toBe(accepted);
});

it('counts an event in failed of the step that it did not pass, and in passed of those before', () => {
  expect(stepsOf(of(...ROWS))).toEqual({
    passed: [110, 99 + 0, 48, 42, 39, 30],
    failed: [7, 2, 51, 6, 3, 9],
  });
});

it('takes plain counts as they are, and a plain match as an event that is still to be counted', () => {
  const events = of(
    counted('Delivered', 'Finalize', '', 9, true),
    counted('Filtered', 'Filter', 'OptedOut', 2, true),
    counted('Matched', 'Filter', '', 1, true),
    base('New', true, 1),
  );
  expect(events.accepted).toBe(11);
  expect(events.open).toBe(0);
  expect(events.endings).toHaveLength(2);
});
