import { parseJson, parseSchema } from '@penstock/schema';
import { checkProfileSchema, MAX_PROFILE_COLUMNS } from './check-profile-schema';

const text = { kind: 'string' };

const issuesOf = (...properties: readonly (readonly [name: string, type: object])[]): string[] => {
  const members = properties.map(([name, type]) => ({ name, type, readOptional: true }));
  const json = parseJson(JSON.stringify({ kind: 'object', properties: members }));
  return checkProfileSchema(parseSchema(json)).map(({ path, message }) => `${path} ${message}`);
};

const objectOf = (name: string) => ({ kind: 'object', properties: [{ name, type: text }] });
const array = (elementType: object, limits: object = {}) => ({
  kind: 'array',
  elementType,
  ...limits,
});

it.each<[string, object]>([
  ['a', { kind: 'string', maxLength: 3, maxByteLength: 3 }],
  ['a', objectOf('_b')],
  ['a', array(text)],
  ['a', array({ kind: 'json' })],
  ['a', { kind: 'map', elementType: text }],
  ['a'.repeat(63), text],
  ['a', objectOf('b'.repeat(61))],
])('a property %s of %j is allowed', (name, type) => {
  expect(issuesOf([name, type])).toEqual([]);
});

const AT = '/properties/0/type';

it.each<[string, object, string]>([
  ['_a', text, '/properties/0/name _a: must not begin with _'],
  ['a', { kind: 'string', values: ['x'] }, `${AT}/values a: profiles have no texts with values`],
  ['a', { kind: 'string', pattern: 'x' }, `${AT}/pattern a: profiles have no texts with pattern`],
  ['a', array(array(text)), `${AT}/elementType a: elements must not be of kind array here`],
  ['a', array(objectOf('b')), `${AT}/elementType a: elements must not be of kind object here`],
  [
    'a',
    { kind: 'map', elementType: { kind: 'map', elementType: text } },
    `${AT}/elementType a: elements must not be of kind map here`,
  ],
  [
    'a',
    array({ kind: 'string', pattern: 'x' }),
    `${AT}/elementType/pattern a: profiles have no texts with pattern`,
  ],
  ['a', array(text, { minElements: 1 }), `${AT}/minElements a: arrays of profiles have no limits`],
  ['a', array(text, { maxElements: 9 }), `${AT}/maxElements a: arrays of profiles have no limits`],
  [
    'a',
    array(text, { uniqueElements: true }),
    `${AT}/uniqueElements a: arrays of profiles have no limits`,
  ],
  ['a'.repeat(64), text, `/properties/0 ${'a'.repeat(64)}: its column ${'a'.repeat(64)} is longer`],
])('a property %s of %j is refused', (name, type, expected) => {
  expect(issuesOf([name, type])).toEqual([expect.stringContaining(expected)]);
});

it('names columns that two properties have in common, in whatever case', () => {
  expect(issuesOf(['a_b', text], ['a', objectOf('b')])).toEqual([
    '/properties/1/type/properties/0 a.b: has the column a_b in common with a_b',
  ]);
  expect(issuesOf(['A', text], ['a', text])).toEqual([
    '/properties/1 a: has the column a in common with A',
  ]);
});

it('allows a thousand columns and no more', () => {
  const properties = Array.from(
    { length: MAX_PROFILE_COLUMNS + 1 },
    (_, index) => [`c${index}`, text] as const,
  );
  expect(issuesOf(...properties.slice(1))).toEqual([]);
  expect(issuesOf(...properties)).toEqual(['/properties has 1001 columns: 1000 are possible']);
});
