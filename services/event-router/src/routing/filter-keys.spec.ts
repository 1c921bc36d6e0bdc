import { EVENT_SCHEMA } from '@penstock/contracts';
import { parseFilter } from '@penstock/filters';
import { parseJson } from '@penstock/schema';
import { ANY_EVENT, filterKeys } from './filter-keys';

type Row = readonly [property: string, operator: string, ...values: string[]];

const keysOf = (logical: 'and' | 'or', ...rows: readonly Row[]) => {
  const conditions = rows.map(([property, operator, ...values]) => ({
    property,
    operator,
    values,
  }));
  const json = parseJson(JSON.stringify({ logical, conditions }));
  const { types, names } = filterKeys(parseFilter(json, EVENT_SCHEMA, 'DestinationEvent'));
  return { types: types && [...types], names: names && [...names] };
};

const ANY = { types: null, names: null };

it('allow any event without a filter', () => {
  expect(filterKeys(null)).toBe(ANY_EVENT);
});

it.each<[string, 'and' | 'or', Row[], object]>([
  ['a name', 'and', [['event', 'is', 'Order']], { ...ANY, names: ['Order'] }],
  ['a type', 'and', [['type', 'is', 'track']], { ...ANY, types: ['track'] }],
  ['names', 'and', [['event', 'is one of', 'a', 'b']], { ...ANY, names: ['a', 'b'] }],
  ['a single condition of an or', 'or', [['event', 'is', 'a']], { ...ANY, names: ['a'] }],
  [
    'both, among others',
    'and',
    [
      ['userId', 'is', 'u'],
      ['event', 'is', 'a'],
      ['type', 'is one of', 'track', 'page'],
    ],
    { types: ['track', 'page'], names: ['a'] },
  ],
  [
    'what several conditions have in common',
    'and',
    [
      ['event', 'is one of', 'a', 'b', 'c'],
      ['event', 'is one of', 'c', 'b', 'd'],
    ],
    { ...ANY, names: ['b', 'c'] },
  ],
  [
    'nothing, where conditions exclude each other',
    'and',
    [
      ['type', 'is', 'track'],
      ['type', 'is', 'page'],
    ],
    { ...ANY, types: [] },
  ],
  [
    'a name in its normal form',
    'and',
    [['event', 'is', 'Cafe\u0301']],
    { ...ANY, names: ['Café'] },
  ],
])('are %s', (_, logical, rows, keys) => {
  expect(keysOf(logical, ...rows)).toEqual(keys);
});

it.each<[string, 'and' | 'or', Row[]]>([
  [
    'one of several conditions',
    'or',
    [
      ['event', 'is', 'a'],
      ['type', 'is', 'track'],
    ],
  ],
  ['a negation', 'and', [['event', 'is not', 'a']]],
  ['a negation of several', 'and', [['type', 'is not one of', 'track', 'page']]],
  ['a part of the name', 'and', [['event', 'starts with', 'a']]],
  ['another property', 'and', [['name', 'is', 'a']]],
  ['a member of the same name inside JSON', 'and', [['properties.event', 'is', 'a']]],
  ['a member of the same name of an object', 'and', [['context.device.type', 'is', 'a']]],
])('allow any event for %s', (_, logical, rows) => {
  expect(keysOf(logical, ...rows)).toEqual(ANY);
});
