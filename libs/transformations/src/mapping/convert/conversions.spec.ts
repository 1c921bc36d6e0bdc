import { type Kind, KINDS } from '@penstock/schema';
import { typeOf } from '../trial.fixture';
import { CONVERSIONS } from './conversions';
import { converter } from './converter';

const NOTATIONS: Readonly<Record<Kind, object>> = {
  string: { kind: 'string' },
  boolean: { kind: 'boolean' },
  int: { kind: 'int', bitSize: 8 },
  float: { kind: 'float', bitSize: 64 },
  decimal: { kind: 'decimal', precision: 5, scale: 2 },
  datetime: { kind: 'datetime' },
  date: { kind: 'date' },
  time: { kind: 'time' },
  year: { kind: 'year' },
  uuid: { kind: 'uuid' },
  json: { kind: 'json' },
  ip: { kind: 'ip' },
  array: { kind: 'array', elementType: { kind: 'string' } },
  object: { kind: 'object', properties: [{ name: 'a', type: { kind: 'string' } }] },
  map: { kind: 'map', elementType: { kind: 'string' } },
};

/** Allowed destination kinds of each source kind, for a width of 8 bits and strings inside. */
const ALLOWED: Readonly<Record<Kind, readonly Kind[]>> = {
  string: KINDS.filter((kind) => !['array', 'object', 'map'].includes(kind)),
  boolean: ['string', 'boolean', 'int', 'json'],
  int: ['string', 'boolean', 'int', 'float', 'decimal', 'year', 'json'],
  float: ['string', 'int', 'float', 'decimal', 'json'],
  decimal: ['string', 'int', 'float', 'decimal', 'json'],
  datetime: ['string', 'datetime', 'date', 'time', 'json'],
  date: ['string', 'datetime', 'date', 'json'],
  time: ['string', 'time', 'json'],
  year: ['string', 'int', 'year', 'json'],
  uuid: ['string', 'uuid', 'json'],
  ip: ['string', 'json', 'ip'],
  json: KINDS,
  array: ['json', 'array'],
  object: ['json', 'object', 'map'],
  map: ['json', 'object', 'map'],
};

const PAIRS = KINDS.flatMap((from) => KINDS.map((to): [Kind, Kind] => [from, to]));

it('has a row for every pair of kinds', () => {
  const rows = Object.entries(CONVERSIONS).flatMap(([to, column]) =>
    Object.keys(column).map((from) => [from, to]),
  );
  expect(new Set(rows.map(String))).toEqual(new Set(PAIRS.map(String)));
});

it.each(PAIRS)('%s to %s', (from, to) => {
  const converts = converter(typeOf(NOTATIONS[from]), typeOf(NOTATIONS[to])) !== undefined;
  expect(converts).toBe(ALLOWED[from].includes(to));
});

const object = (...members: [name: string, type: object][]): object => ({
  kind: 'object',
  properties: members.map(([name, type]) => ({ name, type })),
});
const mapOf = (elementType: object): object => ({ kind: 'map', elementType });
const arrayOf = (elementType: object): object => ({ kind: 'array', elementType });
const TEXT = { kind: 'string' };
const DATE = { kind: 'date' };
const TIME = { kind: 'time' };
const INT32 = { kind: 'int', bitSize: 32 };

it.each<[what: string, from: object, to: object, converts: boolean]>([
  [
    'an int of 8 bits to boolean',
    { kind: 'int', bitSize: 8, unsigned: true },
    { kind: 'boolean' },
    true,
  ],
  ['a wider int to boolean', { kind: 'int', bitSize: 16 }, { kind: 'boolean' }, false],
  ['a boolean to a wider int', { kind: 'boolean' }, { kind: 'int', bitSize: 16 }, false],
  ['elements that convert', arrayOf(INT32), arrayOf(TEXT), true],
  ['elements that do not', arrayOf(DATE), arrayOf(TIME), false],
  [
    'objects with a common name',
    object(['a', TEXT], ['b', DATE]),
    object(['a', INT32], ['c', TIME]),
    true,
  ],
  [
    'a common name that does not convert',
    object(['a', TEXT], ['b', DATE]),
    object(['a', TEXT], ['b', TIME]),
    false,
  ],
  ['objects without a common name', object(['a', TEXT]), object(['A', TEXT]), false],
  [
    'an object to a map of what all convert to',
    object(['a', TEXT], ['b', DATE]),
    mapOf(DATE),
    true,
  ],
  ['an object to a map of what one does not', object(['a', TEXT], ['b', TIME]), mapOf(DATE), false],
  [
    'a map to an object of what all convert to',
    mapOf(TEXT),
    object(['a', DATE], ['b', TIME]),
    true,
  ],
  [
    'a map to an object with one that does not',
    mapOf(DATE),
    object(['a', DATE], ['b', TIME]),
    false,
  ],
  ['maps', mapOf(DATE), mapOf(TIME), false],
])('%s', (_what, from, to, converts) => {
  expect(converter(typeOf(from), typeOf(to)) !== undefined).toBe(converts);
});
