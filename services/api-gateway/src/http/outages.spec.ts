import { Outages } from './outages';

it('lets the first of each cause be logged, then one a minute with the number of those between', () => {
  const outages = new Outages();
  expect(outages.count('the log', 1_000)).toBe(0);
  expect(outages.count('the database', 1_000)).toBe(0);
  expect(outages.count('the log', 1_001)).toBeUndefined();
  expect(outages.count('the log', 60_999)).toBeUndefined();
  expect(outages.count('the log', 61_000)).toBe(2);
  expect(outages.count('the log', 120_999)).toBeUndefined();
  expect(outages.count('the database', 61_000)).toBe(0);
});

it('remembers a bounded number of causes', () => {
  const outages = new Outages();
  for (let nth = 0; nth < 1_000; nth += 1) outages.count(`cause ${nth}`, 0);
  expect(outages.count('cause 0', 1)).toBe(0);
  expect(outages.count('cause 999', 1)).toBeUndefined();
});
