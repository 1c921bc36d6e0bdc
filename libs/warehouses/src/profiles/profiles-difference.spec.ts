import { parseJson, parseSchema, type Schema } from '@penstock/schema';
import { profilesDifference, type RePaths } from './profiles-difference';

const text = { kind: 'string' };
const long = { kind: 'string', maxLength: 9 };

/** `a.b` for a text in an object; `name: long` for another type. */
type Notation = Readonly<Record<string, object>>;

const propertyOf = ([name, type]: [string, object]): object => ({
  name,
  readOptional: true,
  type: 'kind' in type ? type : { kind: 'object', properties: propertiesOf(type as Notation) },
});

const propertiesOf = (notation: Notation): object[] => Object.entries(notation).map(propertyOf);

const schemaOf = (notation: Notation): Schema =>
  parseSchema(parseJson(JSON.stringify({ kind: 'object', properties: propertiesOf(notation) })));

const shown = (from: Notation, to: Notation, rePaths: Record<string, string | null> = {}) => {
  const paths: RePaths = new Map(Object.entries(rePaths));
  const difference = profilesDifference(schemaOf(from), schemaOf(to), paths);
  if ('issues' in difference) return difference.issues.map(({ path, message }) => [path, message]);
  const { dropped, renamed, added } = difference;
  return [
    ...dropped.map(({ column }) => `-${column}`),
    ...renamed.map((each) => `${each.from.column}>${each.to.column}`),
    ...added.map(({ column }) => `+${column}`),
  ];
};

const address = { city: text, zip: text };

it.each<[Notation, Notation, Record<string, string | null>, readonly string[]]>([
  [{ a: text }, { a: text }, {}, []],
  [{ a: text, b: text }, { b: text, a: text }, {}, []],
  [{ a: text }, { a: text, b: long }, {}, ['+b']],
  [{ a: text, b: text }, { a: text }, {}, ['-b']],
  [{ a: text }, { b: text }, {}, ['-a', '+b']],
  [{ a: text }, { b: text }, { b: 'a' }, ['a>b']],
  [{ a: text, b: text }, { b: text, a: text }, { a: 'b', b: 'a' }, ['a>b', 'b>a']],
  [{ a: text }, { a: text }, { a: null }, ['-a', '+a']],
  [{ a: text }, { a: long }, { a: null }, ['-a', '+a']],
  [{ a: text }, { a: text, b: text }, { a: null, b: 'a' }, ['a>b', '+a']],
  [{ a: text }, { a: text }, { a: 'a' }, []],
  [{ x: address }, { x: { town: text, zip: text } }, { 'x.town': 'x.city' }, ['x_city>x_town']],
  [{ x: address }, { y: address }, { y: 'x' }, ['x_city>y_city', 'x_zip>y_zip']],
  [{ x: address }, { y: { zip: text, city: text } }, { y: 'x' }, ['x_city>y_city', 'x_zip>y_zip']],
  [{ x: address }, { x: { city: text, zip: text, no: text } }, {}, ['+x_no']],
  [{ x: address }, { x: address }, { x: null }, ['-x_city', '-x_zip', '+x_city', '+x_zip']],
])('%j becomes %j with %j', (from, to, rePaths, expected) => {
  expect(shown(from, to, rePaths)).toEqual(expected);
});

it.each<[Notation, Notation, Record<string, string | null>, string, string]>([
  [{ a: text }, { a: long }, {}, '/schema/properties/0', 'a: must keep the type of a'],
  [{ a: text }, { a: address }, {}, '/schema/properties/0', 'a: must keep the type of a'],
  [{ a: text }, { b: long }, { b: 'a' }, '/rePaths/b', 'b: must keep the type of a'],
  [{ a: text }, { a: text, b: text }, { b: 'a' }, '/rePaths/b', 'b: goes on from a, from which a'],
  [{ a: text }, { b: text, c: text }, { b: 'a', c: 'a' }, '/rePaths/c', 'c: goes on from a'],
  [
    { a: text },
    { b: text },
    { b: 'z' },
    '/rePaths/b',
    'b: cannot go on from z: the present schema',
  ],
  [{ a: text }, { a: text }, { z: 'a' }, '/rePaths/z', 'z: cannot go on from a: it is no property'],
  [{ a: text }, { a: text }, { z: null }, '/rePaths/z', 'z: is no property of the new schema'],
  [
    { a: text, x: address },
    { x: { city: text, zip: text, a: text } },
    { 'x.a': 'a' },
    '/rePaths/x.a',
    'x.a: cannot go on from a: a property stays where it is',
  ],
  [
    { x: address },
    { y: { city: text } },
    { y: 'x' },
    '/rePaths/y',
    'y: cannot be renamed from x while what is in it changes',
  ],
  [
    { x: address },
    { y: { town: text, zip: text } },
    { y: 'x', 'y.town': 'x.city' },
    '/rePaths/y',
    'y: cannot be renamed from x while what is in it changes',
  ],
  [
    { x: { inner: address } },
    { x: { inner: { city: long, zip: text } } },
    {},
    '/schema/properties/0/type/properties/0/type/properties/0',
    'x.inner.city: must keep the type',
  ],
])('%j cannot become %j with %j', (from, to, rePaths, path, message) => {
  const [first] = shown(from, to, rePaths);
  expect(first).toEqual([path, expect.stringContaining(message)]);
});
