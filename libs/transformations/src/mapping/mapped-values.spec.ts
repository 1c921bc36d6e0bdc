import { writeJson } from '@penstock/schema';
import { mappedValues } from './mapped-values';
import { INPUT, RECORD } from './trial.fixture';

const valuesOf = (mapping: Record<string, string>): string =>
  writeJson(mappedValues(new Map(Object.entries(mapping)), INPUT, RECORD));

it.each<[mapping: Record<string, string>, values: string]>([
  [{ a: '"x"', 'q.x': 'eq(1, 1)' }, '{"a":"x","q.x":true}'],
  [{ a: '12345678901234567890' }, '{"a":12345678901234567890}'],
  [{ a: 'sn', b: 'null', c: 'jn' }, '{"c":null}'],
  [{ a: 'se' }, '{"a":""}'],
  [{ a: 'nan', b: '1' }, '{"b":1}'],
  [{ a: 'replace("x", se, "y")', b: '1' }, '{"b":1}'],
  [{ a: 'lower(', b: '1' }, '{"b":1}'],
  [{}, '{}'],
])('of %j are %s', (mapping, values) => {
  expect(valuesOf(mapping)).toBe(values);
});
