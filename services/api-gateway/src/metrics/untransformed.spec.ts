import { untransformed } from './untransformed';

it('counts nothing at the steps of a transformation, and everything else as it is', () => {
  const numbers = {
    ...{ accepted: 9, opened: 7, passed: [9, 9, 7, 7, 7, 6], failed: [0, 0, 2, 0, 0, 1] },
    ...{ endings: [], retries: 0, latency: null },
  };
  const point = { ...numbers, at: '2026-03-01T09:30:00.000Z' as never };
  const expected = { passed: [9, 9, 7, 0, 0, 6], failed: [0, 0, 2, 0, 0, 1] };
  expect(untransformed({ total: numbers, points: [point], lag: 3 })).toEqual({
    ...{ total: { ...numbers, ...expected }, points: [{ ...point, ...expected }], lag: 3 },
  });
});
