import { parseJson } from '@penstock/schema';
import { filterPaths } from './filter';
import { aProperty, anInt, aSchema } from './schema.fixtures';
import { parseFilter } from './parse-filter';

const inner = aSchema(aProperty('json', { kind: 'json' }), aProperty('n', anInt(8)));
const schema = aSchema(aProperty('z', inner), aProperty('a', inner), aProperty('b', anInt(8)));

const pathsOf = (...properties: string[]) => {
  const conditions = properties.map((property) => ({ property, operator: 'is', values: ['1'] }));
  const json = parseJson(JSON.stringify({ logical: 'or', conditions }));
  return filterPaths(parseFilter(json, schema, 'SourceUser'));
};

it('are sorted and unique', () => {
  expect(pathsOf('z.n', 'b', 'a.n', 'b', 'z.n')).toEqual(['a.n', 'b', 'z.n']);
});

it('count a path inside JSON as its property', () => {
  expect(pathsOf('a.json.x.y', 'a.json.x', 'a.json')).toEqual(['a.json']);
});
