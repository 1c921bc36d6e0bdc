import { isSince, secondBefore } from './changed-since';

it.each([
  ['2026-03-01T00:00:00Z', '2026-02-28T23:59:59Z'],
  ['2026-03-01T00:00:00.999999Z', '2026-02-28T23:59:59Z'],
  ['1970-01-01T00:00:00.5Z', '1969-12-31T23:59:59Z'],
])('the second before %s is %s', (since, before) => {
  expect(secondBefore(since)).toBe(before);
});

it.each<[string | null, string | null, boolean]>([
  ['2026-03-01T00:00:00Z', null, true],
  [null, '2026-03-01T00:00:00Z', true],
  ['2026-03-01T00:00:00Z', '2026-03-01T00:00:00Z', true],
  ['2026-03-01T00:00:00.001Z', '2026-03-01T00:00:00Z', true],
  ['2026-02-28T23:59:59.999999Z', '2026-03-01T00:00:00Z', false],
])('a change at %s belongs to those since %s: %s', (updatedAt, since, belongs) => {
  expect(isSince(updatedAt, since)).toBe(belongs);
});
