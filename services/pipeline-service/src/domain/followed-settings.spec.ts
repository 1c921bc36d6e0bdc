import { followedSettings, isIdentifying, type ResolutionSettings } from '@penstock/contracts';
import { parseJson, parseSchema, type Schema } from '@penstock/schema';
import { profilesDifference } from '@penstock/warehouses';
import fc from 'fast-check';

/** A leaf, or an object with properties below. */
interface Notation {
  readonly [name: string]: 'string' | 'uuid' | 'json' | Notation;
}

const typeOf = (notation: Notation[string]): object =>
  typeof notation === 'string' ? { kind: notation } : objectOf(notation);

const objectOf = (notation: Notation): object => ({
  kind: 'object',
  properties: Object.entries(notation).map(([name, each]) => ({
    name,
    readOptional: true,
    type: typeOf(each),
  })),
});

const textOf = (notation: Notation): string => JSON.stringify(objectOf(notation));

const schemaOf = (notation: Notation): Schema => parseSchema(parseJson(textOf(notation)));

const settingsOf = (identifiers: readonly string[]): ResolutionSettings => ({
  runOnBatchImport: true,
  eventDelay: null,
  identifiers,
  blockedValues: Object.fromEntries(identifiers.map((path) => [path, `sealed ${path}`])),
});

/** The identifiers after a change, each with the text of its blocked values. */
const followed = (
  identifiers: readonly string[],
  to: Notation,
  rePaths: Record<string, string | null>,
): readonly (readonly [string, string | undefined])[] => {
  const change = { schema: textOf(to), rePaths };
  const settings = followedSettings(settingsOf(identifiers), change);
  expect(Object.keys(settings.blockedValues).sort()).toEqual([...settings.identifiers].sort());
  return settings.identifiers.map((path) => [path, settings.blockedValues[path]]);
};

const text = 'string';

it.each<[readonly string[], Notation, Record<string, string | null>, readonly string[]]>([
  [['a', 'b'], { a: text, b: text, c: text }, {}, ['a:a', 'b:b']],
  [['a', 'b'], { c: text, b: text }, { c: 'a' }, ['c:a', 'b:b']],
  [['a', 'b'], { a: text, b: text }, { a: 'b', b: 'a' }, ['b:a', 'a:b']],
  [
    ['a', 'b', 'c'],
    { a: text, b: text, c: text },
    { a: 'b', b: 'c', c: 'a' },
    ['c:a', 'a:b', 'b:c'],
  ],
  [['a.b'], { c: { b: text } }, { c: 'a' }, ['c.b:a.b']],
  [['a.b'], { a: { c: text } }, { 'a.c': 'a.b' }, ['a.c:a.b']],
  [['a.b', 'c.b'], { a: { b: text }, c: { b: text } }, { a: 'c', c: 'a' }, ['c.b:a.b', 'a.b:c.b']],
  [['a', 'b'], { b: text }, {}, ['b:b']],
  [['a', 'b'], { a: text, b: text }, { a: null }, ['b:b']],
  [['a', 'b'], { a: text }, { a: 'b' }, ['a:b']],
  [['a.b', 'c'], { a: { b: text }, c: text }, { a: null }, ['c:c']],
  [['a', 'b'], { a: 'json', b: text }, {}, ['b:b']],
])('%j becomes by %j with %j', (identifiers, to, rePaths, expected) => {
  expect(
    followed(identifiers, to, rePaths).map(([path, sealed]) => `${path}:${sealed?.slice(7) ?? ''}`),
  ).toEqual(expected);
});

const NAMES = ['a', 'b', 'c', 'd'];

const leaves = fc.constantFrom('string' as const, 'uuid' as const, 'json' as const);

const objects = (of: fc.Arbitrary<Notation[string]>): fc.Arbitrary<Notation> =>
  fc.dictionary(fc.constantFrom(...NAMES), of, { minKeys: 1, maxKeys: 4, noNullPrototype: true });

const schemas = objects(fc.oneof(leaves, objects(leaves)));

const paths = fc.oneof(
  fc.constantFrom(...NAMES),
  fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...NAMES)).map((names) => names.join('.')),
);

/** Another order of the old names, some of them left out or fresh, and names that are new: such changes are often possible. */
const changes = schemas.chain((from) =>
  fc.record({
    from: fc.constant(from),
    order: fc.shuffledSubarray([...NAMES]),
    fresh: fc.subarray([...NAMES]),
    inner: fc.dictionary(paths, fc.option(paths), { maxKeys: 2, noNullPrototype: true }),
    isMixed: fc.boolean(),
  }),
);

it('follows its properties as the difference of two schemas tells it', () => {
  let possible = 0;
  fc.assert(
    fc.property(changes, ({ from, order, fresh, inner, isMixed }) => {
      const old = Object.keys(from);
      const to: Record<string, Notation[string]> = {};
      const rePaths: Record<string, string | null> = isMixed ? { ...inner } : {};
      order.forEach((name, index) => {
        const source = old[index];
        if (source === undefined || fresh.includes(name)) {
          to[name] = text;
          if (old.includes(name)) rePaths[name] = null;
          return;
        }
        to[name] = from[source] ?? text;
        rePaths[name] = source;
      });
      if (order.length === 0) return;
      const renames = new Map(Object.entries(rePaths));
      const difference = profilesDifference(schemaOf(from), schemaOf(to), renames);
      if ('issues' in difference) return;
      possible += 1;
      const leavesBefore = Object.entries(from).flatMap(([name, each]) =>
        typeof each === 'string'
          ? [{ path: name, kind: each }]
          : Object.entries(each).map(([inside, kind]) => ({ path: `${name}.${inside}`, kind })),
      );
      const identifiers = leavesBefore
        .filter(({ kind }) => kind !== 'json')
        .map(({ path }) => path);
      const gone = new Set(difference.dropped.map(({ path }) => path));
      const renamed = new Map(difference.renamed.map((each) => [each.from.path, each.to.path]));
      const expected = identifiers
        .filter((path) => !gone.has(path))
        .map((path) => [renamed.get(path) ?? path, `sealed ${path}`]);
      expect(followed(identifiers, to, rePaths)).toEqual(expected);
    }),
    { numRuns: 1_000 },
  );
  expect(possible).toBeGreaterThan(300);
});

it.each([
  ['string', {}, true],
  ['int', { bits: 32 }, true],
  ['uuid', {}, true],
  ['ip', {}, true],
  ['decimal', { precision: 9, scale: 0 }, true],
  ['decimal', { precision: 9, scale: 1 }, false],
  ['boolean', {}, false],
  ['json', {}, false],
  ['date', {}, false],
])('%s %j can identify: %s', (kind, members, expected) => {
  expect(isIdentifying({ kind, ...members } as never)).toBe(expected);
});
