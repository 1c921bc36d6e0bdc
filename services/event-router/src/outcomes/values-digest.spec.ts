import { JsonText, newRecord, type RecordValue, type Value } from '@penstock/schema';
import { valuesDigest } from './values-digest';

const record = (members: Readonly<Record<string, Value>>): RecordValue =>
  Object.assign(newRecord(), members);

const digest = (members: Readonly<Record<string, Value>>): string =>
  valuesDigest('send_event', record(members));

it('has 11 characters, also without values', () => {
  expect(digest({ a: 1 })).toMatch(/^[\w-]{11}$/);
  expect(valuesDigest('send_event', null)).toMatch(/^[\w-]{11}$/);
});

it('does not depend on the order of members', () => {
  expect(digest({ a: 1, b: 'x' })).toBe(digest({ b: 'x', a: 1 }));
  const [one, other] = [
    new Map([
      ['a', 1],
      ['b', 2],
    ]),
    new Map([
      ['b', 2],
      ['a', 1],
    ]),
  ];
  expect(digest({ map: one })).toBe(digest({ map: other }));
});

it.each<[string, Record<string, Value>, Record<string, Value>]>([
  ['a text', { a: 'x' }, { a: 'y' }],
  ['a text and a number', { a: '1' }, { a: 1 }],
  ['a null and a missing member', { a: null }, {}],
  ['the order of an array', { a: [1, 2] }, { a: [2, 1] }],
  ['where an array ends', { a: ['x', 'y'] }, { a: ['x,y'] }],
  ['the nesting of members', { a: record({ b: 1 }) }, { a: record({}), b: 1 }],
  ['names', { a: 1 }, { b: 1 }],
  ['JSON texts', { a: JsonText.trusted('{"b":1}') }, { a: JsonText.trusted('{"b":2}') }],
  ['digits beyond those of a double', { a: 9_007_199_254_740_993n }, { a: 9_007_199_254_740_992n }],
])('tells apart %s', (_, one, other) => {
  expect(digest(one)).not.toBe(digest(other));
});

it('tells apart event types, and no values from empty ones', () => {
  expect(valuesDigest('a', record({}))).not.toBe(valuesDigest('b', record({})));
  expect(valuesDigest('a', null)).not.toBe(valuesDigest('a', record({})));
});
