import { Invalid, type Issue } from '@penstock/schema';
import { checkExpressions, compileMapping, MAX_KEYS } from './compile-mapping';
import { INPUT, outputOf, schemaOf } from './trial.fixture';

const TEXT = { kind: 'string' };
const OUTPUT = schemaOf(
  { name: 'y', type: TEXT },
  { name: 'email', type: TEXT },
  { name: 'count', type: { kind: 'int', bitSize: 32 } },
  { name: 'list', type: { kind: 'array', elementType: TEXT } },
  { name: 'q', type: { kind: 'object', properties: [{ name: 'x', type: TEXT }] } },
);

const issues = (mapping: Record<string, string>): readonly Issue[] => {
  try {
    compileMapping(new Map(Object.entries(mapping)), INPUT, OUTPUT);
    return [];
  } catch (error) {
    if (error instanceof Invalid) return error.issues;
    throw error;
  }
};

it.each<[expression: string, message: string]>([
  ['zz', 'line 1, column 1: there is no property "zz"'],
  ['s "-"\n  o.nam', 'line 2, column 4: there is no property "nam"; did you mean "name"?'],
  ['lowr(s)', 'line 1, column 1: there is no function "lowr"; did you mean "lower"?'],
  ['Lower(s)', 'line 1, column 1: there is no function "Lower"; did you mean "lower"?'],
  ['"😀" lower(s, s)', 'line 1, column 5: lower takes 1 arguments, not 2'],
  ['if(b)', 'line 1, column 1: if takes 2 to 3 arguments, not 1'],
  ['and(b)', 'line 1, column 1: and takes 2 or more arguments, not 1'],
  ['arr', 'line 1, column 1: string is expected here, but this is array'],
  ['lower(o)', 'line 1, column 7: text is expected here, but this is object'],
  ['eq(b, i)', 'line 1, column 1: boolean cannot be compared with int'],
  ['if("maybe", s)', 'line 1, column 4: this literal does not convert to boolean'],
  ['s?', 'line 1, column 1: "?" may follow a step inside a json value only'],
  ['m.k?', 'line 1, column 2: "?" may follow a step inside a json value only'],
  ['arr.x', 'line 1, column 4: "x" cannot be looked up in a value of kind array'],
  ['map("k", 1, "k", 2)', 'line 1, column 13: the key "k" is repeated'],
  ['round(d, 38)', 'line 1, column 10: the digits are a literal from 0 to 37'],
  ['date_format(dt, "YYYY")', 'line 1, column 17: "YYYY" is none of yyyy, MM, dd, HH, mm, ss, SSS'],
  ['regexp_replace(s, "(a)", "$2")', 'line 1, column 26: the pattern has no group "2"'],
  ['s (', 'line 1, column 4: an expression is expected'],
])('%s', (expression, message) => {
  expect(issues({ y: expression })).toEqual([{ path: '/y', message }]);
});

it.each<[mapping: Record<string, string>, path: string, message: string]>([
  [{}, '', 'the mapping is empty'],
  [{ emial: 's' }, '/emial', 'the output schema has no property "emial"; did you mean "email"?'],
  [{ 'q.zz': 's' }, '/q.zz', 'the output schema has no property "q.zz"; did you mean "q.x"?'],
  [
    { 'list.x': 's' },
    '/list.x',
    'the output schema has no property "list.x"; did you mean "list"?',
  ],
  [{ 'a/b~c': 's' }, '/a~1b~0c', 'the output schema has no property "a/b~c"'],
  [{ '': 's' }, '/', 'the output schema has no property ""'],
  [{ q: 'j', 'q.x': 's' }, '/q.x', '"q", in which "q.x" lies, has an expression of its own'],
  [{ count: '""' }, '/count', 'line 1, column 1: this literal does not convert to int'],
  [{ list: 'array(null)' }, '/list', 'line 1, column 7: null cannot be an element'],
])('%j', (mapping, path, message) => {
  expect(issues(mapping)).toEqual([{ path, message }]);
});

it('reports every key that is wrong', () => {
  expect(issues({ y: 'zz', email: 's', count: 'arr', zz: 's' }).map(({ path }) => path)).toEqual([
    '/y',
    '/count',
    '/zz',
  ]);
});

it('accepts the maximal number of keys and no more', () => {
  const names = Array.from({ length: MAX_KEYS + 1 }, (_, index) => `p${index}`);
  const output = schemaOf(...names.map((name) => ({ name, type: TEXT })));
  const mapping = (count: number) => new Map(names.slice(0, count).map((name) => [name, 's']));
  expect(compileMapping(mapping(MAX_KEYS), INPUT, output).outPaths).toHaveLength(MAX_KEYS);
  expect(() => compileMapping(mapping(MAX_KEYS + 1), INPUT, output)).toThrow(Invalid);
});

it.each<[expression: string, inPaths: string[]]>([
  ['"x"', []],
  ['s i s', ['i', 's']],
  ['coalesce(o.name, people.ada.name, j.a.b, js)', ['j', 'js', 'o.name', 'people']],
  ['len(o) m.k', ['m', 'o']],
])('reports what %s reads', (expression, inPaths) => {
  const compiled = compileMapping(new Map([['y', expression]]), INPUT, outputOf(TEXT));
  expect(compiled.inPaths).toEqual(inPaths);
});

describe('expressions without an output schema', () => {
  const check = (mapping: Record<string, string>): readonly Issue[] => {
    try {
      checkExpressions(new Map(Object.entries(mapping)), INPUT);
      return [];
    } catch (error) {
      if (error instanceof Invalid) return error.issues;
      throw error;
    }
  };

  it('report what is wrong with each of them', () => {
    expect(check({ y: 's', anything: 's (', 'a/b': '\n zz' })).toEqual([
      { path: '/anything', message: 'line 1, column 4: an expression is expected' },
      { path: '/a~1b', message: 'line 2, column 2: there is no property "zz"' },
    ]);
  });

  it('are limited in number like those of any mapping', () => {
    const names = Array.from({ length: MAX_KEYS + 1 }, (_, index) => `p${index}`);
    const mapping = (count: number) =>
      Object.fromEntries(names.slice(0, count).map((name) => [name, 's']));
    expect(check(mapping(MAX_KEYS))).toEqual([]);
    expect(check(mapping(MAX_KEYS + 1))).toEqual([{ path: '', message: 'more than 1000 keys' }]);
    expect(check({})).toEqual([{ path: '', message: 'the mapping is empty' }]);
  });
});
