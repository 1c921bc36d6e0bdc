import fc from 'fast-check';
import { clockOf, dayOf, momentOf } from './protocol-times';

it.each([
  ['0', '1970-01-01T00:00:00Z'],
  ['0.5', '1970-01-01T00:00:00.500Z'],
  ['-0.750000000', '1969-12-31T23:59:59.250Z'],
  ['-1.000000000', '1969-12-31T23:59:59Z'],
  ['1704067200.123456789', '2024-01-01T00:00:00.123456789Z'],
  ['-62135596800', '0001-01-01T00:00:00Z'],
  ['-62135596800.000000001', undefined],
  ['253402300799.999999999', '9999-12-31T23:59:59.999999999Z'],
  ['253402300800', undefined],
  ['9999999999999', undefined],
  ['x', undefined],
  ['', undefined],
  ['1e9', undefined],
])('%s seconds since 1970 are %s', (text, moment) => {
  expect(momentOf(text)).toBe(moment);
});

it.each([
  ['0', '1970-01-01'],
  ['-1', '1969-12-31'],
  ['-719162', '0001-01-01'],
  ['-719163', undefined],
  ['2932896', '9999-12-31'],
  ['2932897', undefined],
  ['1.5', undefined],
])('%s days since 1970 are %s', (text, day) => {
  expect(dayOf(text)).toBe(day);
});

it.each([
  ['0.000000000', '00:00:00'],
  ['86399.999999999', '23:59:59.999999999'],
  ['86400', undefined],
  ['-1', undefined],
])('%s seconds since midnight are %s', (text, clock) => {
  expect(clockOf(text)).toBe(clock);
});

it('every millisecond is what JavaScript has for it', () => {
  const bounds = { min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z') };
  fc.assert(
    fc.property(fc.date({ ...bounds, noInvalidDate: true }), (date) => {
      const thousandths = BigInt(date.getTime());
      const digits = String(thousandths < 0n ? -thousandths : thousandths).padStart(4, '0');
      const text = `${thousandths < 0n ? '-' : ''}${digits.slice(0, -3)}.${digits.slice(-3)}`;
      expect(momentOf(text)).toBe(date.toISOString().replace('.000Z', 'Z'));
    }),
  );
});
