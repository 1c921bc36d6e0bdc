import { parseJson } from './parse-json';
import { isPropertyName, isPropertyPath, resolvePath } from './paths';
import { parseSchema } from './types/parse-type';

it.each([
  ['a', true, true],
  ['_', true, true],
  ['A9_z', true, true],
  ['a.b_1._c', false, true],
  ['', false, false],
  ['1a', false, false],
  ['a.1', false, false],
  ['a..b', false, false],
  ['.a', false, false],
  ['a.', false, false],
  ['a b', false, false],
  ['a[0]', false, false],
  ['"a"', false, false],
  ['é', false, false],
  ['a\n', false, false],
])('%j is a name: %s, a path: %s', (text, name, path) =>
  expect([isPropertyName(text), isPropertyPath(text)]).toEqual([name, path]),
);

const inner = '{"kind":"object","properties":[{"name":"x","type":{"kind":"year"}}]}';
const schema = parseSchema(
  parseJson(
    `{"kind":"object","properties":[{"name":"o","type":${inner}},{"name":"O","type":${inner}},` +
      `{"name":"l","type":{"kind":"array","elementType":${inner}}},{"name":"m","type":{"kind":"map","elementType":${inner}}},` +
      '{"name":"j","type":{"kind":"json"}}]}',
  ),
);

it.each(['o', 'o.x', 'O.x', 'l', 'm', 'j'])('%s exists', (path) =>
  expect(resolvePath(schema, path)?.name).toBe(path.split('.').at(-1)),
);

it.each(['', 'x', 'o.y', 'o.x.y', 'l.x', 'm.x', 'j.a', 'o.', '.o', 'toString'])(
  '%j does not',
  (path) => expect(resolvePath(schema, path)).toBeUndefined(),
);
