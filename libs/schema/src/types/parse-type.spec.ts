import { Invalid } from '../issue';
import { parseJson } from '../parse-json';
import { parseSchema, parseType } from './parse-type';
import { printType } from './print-type';

const issuesOf = (
  text: string,
  parse = parseType,
): readonly { path: string; message: string }[] => {
  try {
    parse(parseJson(text));
    return [];
  } catch (error) {
    if (error instanceof Invalid) return error.issues;
    throw error;
  }
};

const pathsOf = (text: string): string[] => issuesOf(text).map(({ path }) => path);

const accepted = (text: string): boolean => issuesOf(text).length === 0;

const property = (members: string): string =>
  `{"kind":"object","properties":[{"name":"a","type":{"kind":"string"}${members}}]}`;

describe('every error is at its key', () => {
  it.each([
    ['null', ['']],
    ['"string"', ['']],
    ['{}', ['/kind']],
    ['{"kind":null}', ['/kind']],
    ['{"kind":"Int","bitSize":8}', ['/kind']],
    ['{"kind":"boolean","a/b":1}', ['/a~1b']],
    ['{"kind":"string","maxBytes":1,"required":true}', ['/maxBytes', '/required']],
    ['{"kind":"string","values":"a"}', ['/values']],
    [
      '{"kind":"string","values":[1,"a","\\u0000","\\ud800"]}',
      ['/values/0', '/values/2', '/values/3'],
    ],
    ['{"kind":"string","values":[]}', ['/values']],
    ['{"kind":"string","values":["a"],"pattern":"b"}', ['/pattern']],
    ['{"kind":"string","pattern":"("}', ['/pattern']],
    ['{"kind":"string","pattern":"\\u0000"}', ['/pattern']],
    ['{"kind":"string","maxLength":3,"charLen":4}', ['/charLen']],
    ['{"kind":"string","maxLength":"3","maxByteLength":3.0}', ['/maxLength', '/maxByteLength']],
    ['{"kind":"int","bitSize":32.0}', ['/bitSize']],
    ['{"kind":"int","bitSize":"32"}', ['/bitSize']],
    ['{"kind":"int","bitSize":8,"minimum":1e1,"maximum":null}', ['/minimum', '/maximum']],
    ['{"kind":"int","bitSize":8,"minimum":5,"maximum":4}', ['/maximum']],
    ['{"kind":"int","bitSize":8,"unsigned":1}', ['/unsigned']],
    ['{"kind":"float","bitSize":16,"real":"no"}', ['/bitSize', '/real']],
    ['{"kind":"float","bitSize":64,"minimum":2,"maximum":1}', ['/maximum']],
    ['{"kind":"float","bitSize":64,"minimum":"Infinity"}', ['/minimum']],
    ['{"kind":"decimal"}', ['/precision']],
    ['{"kind":"decimal","precision":3,"scale":4}', ['/scale']],
    ['{"kind":"decimal","precision":3,"minimum":"1","maximum":0.5}', ['/minimum', '/maximum']],
    ['{"kind":"decimal","precision":3,"minimum":2,"maximum":1}', ['/maximum']],
    ['{"kind":"array"}', ['/elementType']],
    ['{"kind":"array","elementType":null}', ['/elementType']],
    [
      '{"kind":"array","elementType":{"kind":"x"},"minElements":-1}',
      ['/elementType/kind', '/minElements'],
    ],
    [
      '{"kind":"array","elementType":{"kind":"year"},"minElements":2,"maxElements":1}',
      ['/maxElements'],
    ],
    ['{"kind":"array","elementType":{"kind":"json"},"uniqueElements":false}', ['/uniqueElements']],
    [
      '{"kind":"map","elementType":{"kind":"int","bitSize":9},"keyType":1}',
      ['/keyType', '/elementType/bitSize'],
    ],
    ['{"kind":"object"}', ['/properties']],
    ['{"kind":"object","properties":{}}', ['/properties']],
    ['{"kind":"object","properties":[]}', ['/properties']],
    [
      '{"kind":"object","properties":[null,{}]}',
      ['/properties/0', '/properties/1/name', '/properties/1/type'],
    ],
    [
      '{"kind":"object","properties":[{"name":"a","type":{"kind":"year"}},{"name":"a","type":null}]}',
      ['/properties/1/type', '/properties/1/name'],
    ],
    [
      property(',"nullable":null,"readOptional":"true","default":1'),
      ['/properties/0/default', '/properties/0/readOptional', '/properties/0/nullable'],
    ],
    [
      property(',"prefilled":null,"description":1'),
      ['/properties/0/prefilled', '/properties/0/description'],
    ],
    [
      property(',"prefilled":"\\u0000","description":"\\udfff"'),
      ['/properties/0/prefilled', '/properties/0/description'],
    ],
  ])('%s', (text, paths) => expect(pathsOf(text)).toEqual(paths));

  it.each(['', '1a', 'a-b', 'a.b', 'é', 'a ', 'a\\n', '\\u0000'])('the name %j', (name) =>
    expect(
      pathsOf(`{"kind":"object","properties":[{"name":"${name}","type":{"kind":"year"}}]}`),
    ).toEqual(['/properties/0/name']),
  );

  it('a schema is an object type', () => {
    expect(issuesOf('{"kind":"string"}', parseSchema)).toMatchObject([{ path: '/kind' }]);
    expect(issuesOf(property(''), parseSchema)).toEqual([]);
  });
});

describe('both sides of every limit', () => {
  it.each([
    ['{"kind":"string","maxLength":1}', '{"kind":"string","maxLength":0}'],
    ['{"kind":"string","maxLength":4294967295}', '{"kind":"string","maxLength":4294967296}'],
    ['{"kind":"string","charLen":4294967295}', '{"kind":"string","charLen":4294967296}'],
    ['{"kind":"string","maxByteLength":1}', '{"kind":"string","maxByteLength":-0}'],
    [
      '{"kind":"string","maxByteLength":4294967295}',
      '{"kind":"string","maxByteLength":4294967296}',
    ],
    ['{"kind":"string","pattern":"a{1000}"}', '{"kind":"string","pattern":"a{1001}"}'],
    ['{"kind":"int","bitSize":8,"minimum":-128}', '{"kind":"int","bitSize":8,"minimum":-129}'],
    ['{"kind":"int","bitSize":16,"maximum":32767}', '{"kind":"int","bitSize":16,"maximum":32768}'],
    [
      '{"kind":"int","bitSize":24,"minimum":-8388608}',
      '{"kind":"int","bitSize":24,"minimum":-8388609}',
    ],
    [
      '{"kind":"int","bitSize":32,"maximum":2147483647}',
      '{"kind":"int","bitSize":32,"maximum":2147483648}',
    ],
    [
      '{"kind":"int","bitSize":64,"minimum":-9223372036854775808}',
      '{"kind":"int","bitSize":64,"minimum":-9223372036854775809}',
    ],
    [
      '{"kind":"int","bitSize":64,"maximum":9223372036854775807}',
      '{"kind":"int","bitSize":64,"maximum":9223372036854775808}',
    ],
    [
      '{"kind":"int","bitSize":64,"unsigned":true,"maximum":18446744073709551615}',
      '{"kind":"int","bitSize":64,"unsigned":true,"maximum":18446744073709551616}',
    ],
    [
      '{"kind":"int","bitSize":8,"unsigned":true,"minimum":-0}',
      '{"kind":"int","bitSize":8,"unsigned":true,"minimum":-1}',
    ],
    [
      '{"kind":"int","bitSize":8,"minimum":5,"maximum":5}',
      '{"kind":"int","bitSize":8,"minimum":5,"maximum":4}',
    ],
    [
      '{"kind":"float","bitSize":32,"maximum":3.4028234e38}',
      '{"kind":"float","bitSize":32,"maximum":3.4028236e38}',
    ],
    [
      '{"kind":"float","bitSize":64,"minimum":-1.7976931348623157e308}',
      '{"kind":"float","bitSize":64,"minimum":-1.8e308}',
    ],
    [
      '{"kind":"float","bitSize":32,"minimum":1.00000001,"maximum":1}',
      '{"kind":"float","bitSize":64,"minimum":1.00000001,"maximum":1}',
    ],
    ['{"kind":"decimal","precision":1}', '{"kind":"decimal","precision":0}'],
    [
      '{"kind":"decimal","precision":76,"scale":37}',
      '{"kind":"decimal","precision":77,"scale":37}',
    ],
    [
      '{"kind":"decimal","precision":38,"scale":37}',
      '{"kind":"decimal","precision":38,"scale":38}',
    ],
    ['{"kind":"decimal","precision":5,"scale":0}', '{"kind":"decimal","precision":5,"scale":-1}'],
    [
      '{"kind":"decimal","precision":3,"scale":2,"maximum":9.99}',
      '{"kind":"decimal","precision":3,"scale":2,"maximum":10}',
    ],
    [
      '{"kind":"decimal","precision":3,"scale":2,"minimum":0.010}',
      '{"kind":"decimal","precision":3,"scale":2,"minimum":0.001}',
    ],
    [
      '{"kind":"array","elementType":{"kind":"ip"},"maxElements":2147483647}',
      '{"kind":"array","elementType":{"kind":"ip"},"maxElements":2147483648}',
    ],
    [
      '{"kind":"array","elementType":{"kind":"ip"},"minElements":2147483647}',
      '{"kind":"array","elementType":{"kind":"ip"},"minElements":2147483648}',
    ],
    [
      '{"kind":"array","elementType":{"kind":"ip"},"maxElements":0}',
      '{"kind":"array","elementType":{"kind":"ip"},"maxElements":-1}',
    ],
    [
      '{"kind":"array","elementType":{"kind":"ip"},"minElements":1,"maxElements":1}',
      '{"kind":"array","elementType":{"kind":"ip"},"minElements":1,"maxElements":0}',
    ],
  ])('%s, but not %s', (inside, outside) =>
    expect([accepted(inside), accepted(outside)]).toEqual([true, false]),
  );

  it.each([
    [32, true],
    [33, false],
    [300, false],
  ])('a type inside %i others: %s', (depth, fits) => {
    const [open, close] = ['{"kind":"array","elementType":', '}'];
    const text = open.repeat(depth) + '{"kind":"year"}' + close.repeat(depth);
    expect(pathsOf(text)).toEqual(fits ? [] : ['/elementType'.repeat(33)]);
  });
});

it('reports every issue', () => {
  const values = Array<number>(2000).fill(0).join(',');
  expect(pathsOf(`{"kind":"string","values":[${values}]}`)).toHaveLength(2000);
});

describe('canonical notation', () => {
  it.each([
    [
      '{"maxLength":3,"values":["e\\u0301",""],"kind":"string"}',
      '{"kind":"string","values":["é",""],"maxLength":3}',
    ],
    ['{"kind":"string","charLen":3}', '{"kind":"string","maxLength":3}'],
    ['{"kind":"string","charLen":3,"maxLength":3}', '{"kind":"string","maxLength":3}'],
    ['{"kind":"string","pattern":""}', '{"kind":"string","pattern":""}'],
    [
      '{"unsigned":true,"maximum":255,"minimum":0,"bitSize":8,"kind":"int"}',
      '{"kind":"int","bitSize":8,"unsigned":true}',
    ],
    [
      '{"kind":"int","bitSize":8,"unsigned":true,"maximum":127}',
      '{"kind":"int","bitSize":8,"maximum":127,"unsigned":true}',
    ],
    [
      '{"kind":"float","bitSize":32,"maximum":3.4028234663852886e38,"real":true}',
      '{"kind":"float","bitSize":32,"real":true}',
    ],
    [
      '{"kind":"float","bitSize":32,"maximum":3.4028234663852886e38}',
      '{"kind":"float","bitSize":32,"maximum":3.4028235e+38}',
    ],
    [
      '{"kind":"float","bitSize":64,"minimum":-1.7976931348623157e308,"maximum":-0,"real":true}',
      '{"kind":"float","bitSize":64,"maximum":0,"real":true}',
    ],
    [
      '{"kind":"decimal","precision":3,"scale":3,"minimum":-0.999,"maximum":9.90e-1}',
      '{"kind":"decimal","precision":3,"scale":3,"maximum":0.99}',
    ],
    [
      '{"kind":"decimal","precision":2,"minimum":-99,"maximum":99.0,"scale":0}',
      '{"kind":"decimal","precision":2}',
    ],
    [
      '{"kind":"array","minElements":0,"maxElements":2147483647,"uniqueElements":false,"elementType":{"kind":"ip"}}',
      '{"kind":"array","elementType":{"kind":"ip"}}',
    ],
    [
      '{"kind":"array","uniqueElements":true,"maxElements":2,"minElements":1,"elementType":{"kind":"ip"}}',
      '{"kind":"array","elementType":{"kind":"ip"},"minElements":1,"maxElements":2,"uniqueElements":true}',
    ],
    [
      property(',"nullable":false,"prefilled":"","updateRequired":true'),
      '{"kind":"object","properties":[{"name":"a","type":{"kind":"string"},"updateRequired":true,"description":""}]}',
    ],
  ])('%s is written %s', (text, canonical) =>
    expect(printType(parseType(parseJson(text)))).toBe(canonical),
  );
});
