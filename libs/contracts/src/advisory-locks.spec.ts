import { ADVISORY_LOCK } from './advisory-locks';

it('gives each lock a number of its own', () => {
  const numbers = Object.values(ADVISORY_LOCK);
  expect(new Set(numbers).size).toBe(numbers.length);
});
