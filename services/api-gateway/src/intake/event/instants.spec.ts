import fc from 'fast-check';
import { canonicalDateTime } from '@penstock/schema';
import { instantLeaf, instantOf, isInstant } from './instants';

it.each([
  ['"2024-02-29T10:11:12Z"', '"2024-02-29T10:11:12Z"'],
  ['"2024-02-29T10:11:12.000Z"', '"2024-02-29T10:11:12Z"'],
  ['"2024-02-29T10:11:12.5Z"', '"2024-02-29T10:11:12.500Z"'],
  ['"2024-02-29T10:11:12.123456789Z"', '"2024-02-29T10:11:12.123Z"'],
  ['"2024-02-29T24:00:00Z"', '"2024-03-01T00:00:00Z"'],
  ['"2024-02-29 10:11+02:00"', '"2024-02-29T08:11:00Z"'],
  ['"2024"', '"2024-01-01T00:00:00Z"'],
  ['"0001-01-01T00:00:00Z"', '"0001-01-01T00:00:00Z"'],
  ['"9999-12-31T23:59:59.999Z"', '"9999-12-31T23:59:59.999Z"'],
])('%s is %s', (given, written) => {
  expect(instantLeaf(instantOf(given))).toBe(written);
});

it.each([
  '"0000-12-31T23:59:59Z"',
  '"2023-02-29T00:00:00Z"',
  '"2024-04-31T00:00:00.000Z"',
  '"2024-13-01T00:00:00Z"',
  '"2024-01-01T00:00:60Z"',
  '"9999-12-31T24:00:00Z"',
  '"yesterday"',
  '1704067200',
  'true',
  '{}',
  '\0',
])('%j is no datetime', (given) => {
  expect(instantOf(given)).toBeNaN();
});

it("agrees with the schema's datetime in reading and writing", () => {
  const min = new Date('0001-01-01T00:00:00.000Z');
  const max = new Date('9999-12-31T23:59:59.999Z');
  fc.assert(
    fc.property(fc.date({ min, max, noInvalidDate: true }), (date) => {
      const text = date.toISOString();
      expect(instantOf(`"${text}"`)).toBe(date.getTime());
      expect(instantLeaf(date.getTime())).toBe(`"${canonicalDateTime(text) ?? ''}"`);
      expect(isInstant(date.getTime())).toBe(true);
    }),
  );
  expect(isInstant(min.getTime() - 1)).toBe(false);
  expect(isInstant(max.getTime() + 1)).toBe(false);
});
