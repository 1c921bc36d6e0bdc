import { Refusal } from '@penstock/contracts';
import { readTransformation } from './read-transformation';

const FUNCTION = {
  source: 'x',
  language: 'Ruby',
  preserveJSON: true,
  inPaths: [],
  outPaths: ['a', 'a', 'b..c'],
};

const detailsOf = (transformation: unknown): readonly string[] => {
  try {
    readTransformation(JSON.stringify(transformation));
    return [];
  } catch (error) {
    if (error instanceof Refusal && error.code === 'BadRequest')
      return error.details.map(({ path }) => path);
    throw error;
  }
};

it('reads a mapping, a function, or nothing', () => {
  expect(readTransformation(null)).toBeNull();
  expect(readTransformation('null')).toBeNull();
  expect(readTransformation('{"mapping":{"a":"b"},"function":null}')).toEqual({
    kind: 'mapping',
    mapping: new Map([['a', 'b']]),
  });
  expect(readTransformation(JSON.stringify({ function: FUNCTION }))).toEqual({
    kind: 'function',
    function: FUNCTION,
  });
});

const AT = '/transformation/function';

it.each<[string, object, string[]]>([
  ['no source', { source: undefined }, [`${AT}/source`]],
  ['an empty source', { source: '' }, [`${AT}/source`]],
  ['a source of 50,000 characters', { source: '\u{1f600}'.repeat(50_000) }, []],
  ['a longer source', { source: 'x'.repeat(50_001) }, [`${AT}/source`]],
  ['NUL in the source', { source: 'a\0b' }, [`${AT}/source`]],
  ['half of a surrogate pair in the source', { source: 'a \ud83d b' }, [`${AT}/source`]],
  ['a source that is no text', { source: 1 }, [`${AT}/source`]],
  ['a language that is no text', { language: null }, [`${AT}/language`]],
  ['no language', { language: undefined }, [`${AT}/language`]],
  ['preserveJSON that is no boolean', { preserveJSON: 'true' }, [`${AT}/preserveJSON`]],
  ['no preserveJSON', { preserveJSON: undefined }, [`${AT}/preserveJSON`]],
  ['paths that are no array', { inPaths: {}, outPaths: 'a' }, [`${AT}/inPaths`, `${AT}/outPaths`]],
  ['a path that is no text', { inPaths: ['a', 1, null] }, [`${AT}/inPaths/1`, `${AT}/inPaths/2`]],
  ['another member', { 'a/b': 1 }, [`${AT}/a~1b`]],
])('a function with %s', (_, members, paths) => {
  expect(detailsOf({ function: { ...FUNCTION, ...members } })).toEqual(paths);
});

it.each<[unknown, string[]]>([
  [[], ['/transformation']],
  [{}, ['/transformation']],
  [{ mapping: null, function: null }, ['/transformation']],
  [{ mapping: { a: 'b' }, function: FUNCTION }, ['/transformation']],
  [{ mapping: { a: 'b' }, code: 1 }, ['/transformation/code']],
  [{ mapping: {} }, ['/transformation/mapping']],
  [{ mapping: [] }, ['/transformation/mapping']],
  [
    { mapping: { a: 'b', 'c.d': 1, e: null } },
    ['/transformation/mapping/c.d', '/transformation/mapping/e'],
  ],
  [{ function: 'x' }, ['/transformation/function']],
])('%j', (transformation, paths) => {
  expect(detailsOf(transformation)).toEqual(paths);
});
