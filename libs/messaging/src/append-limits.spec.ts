import { checkLimits } from './append-limits';
import { MAX_KEY_BYTES, MAX_VALUE_BYTES } from './message-log';

const A_KEY = 'k'.repeat(MAX_KEY_BYTES);
const A_VALUE = 'v'.repeat(MAX_VALUE_BYTES);

it.each([
  ['nothing', { key: '', value: '' }],
  ['a tombstone', { key: '', value: null }],
  ['the longest texts', { key: A_KEY, value: A_VALUE }],
  ['the longest texts of two bytes', { key: 'ü'.repeat(512), value: 'ü'.repeat(500_000) }],
  ['other control characters', { key: '\u0001', value: '\u0001' }],
])('accepts %s', (_, message) => {
  expect(() => {
    checkLimits(message);
  }).not.toThrow();
});

it.each([
  ['a key too long by one', { key: `${A_KEY}k`, value: '' }],
  ['a key too long in bytes only', { key: 'ü'.repeat(513), value: '' }],
  ['a value too long by one', { key: '', value: `${A_VALUE}v` }],
  ['a value too long in bytes only', { key: '', value: 'ü'.repeat(500_001) }],
  ['NUL in a key', { key: 'k\0', value: '' }],
  ['NUL in a value', { key: 'k', value: '\0' }],
])('refuses %s', (_, message) => {
  expect(() => {
    checkLimits(message);
  }).toThrow(RangeError);
});
