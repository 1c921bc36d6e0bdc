import { Invalid, parseJson, type Issue } from '@penstock/schema';
import type { FilterContext } from './filter';
import { aProperty, anArray, anInt, aSchema } from './schema.fixtures';
import { parseFilter } from './parse-filter';
import { printFilter } from './print-filter';

const schema = aSchema(
  aProperty('name', { kind: 'string' }, { nullable: true }),
  aProperty('plan', { kind: 'string', values: ['free', 'é', ''] }),
  aProperty('age', anInt(8)),
  aProperty('active', { kind: 'boolean' }),
  aProperty('traits', { kind: 'json' }),
  aProperty('tags', anArray({ kind: 'string' })),
);

const issuesOf = (text: string, context: FilterContext = 'SourceUser'): readonly Issue[] => {
  try {
    parseFilter(parseJson(text), schema, context);
    return [];
  } catch (error) {
    if (error instanceof Invalid) return error.issues;
    throw error;
  }
};

const pathsOf = (text: string, context?: FilterContext) =>
  issuesOf(text, context).map(({ path }) => path);

const one = (condition: object): string =>
  JSON.stringify({ logical: 'and', conditions: [condition] });

const stored = (condition: object, context: FilterContext = 'SourceUser') =>
  parseFilter(parseJson(one(condition)), schema, context).conditions[0]?.values;

it.each<[text: string, paths: string[]]>([
  ['null', ['']],
  ['[]', ['']],
  ['"and"', ['']],
  ['{}', ['/logical', '/conditions']],
  ['{"logical":"And","conditions":null}', ['/logical', '/conditions']],
  ['{"logical":"or","conditions":[]}', ['/conditions']],
  ['{"a/b":1,"logical":"xor","conditions":{}}', ['/a~1b', '/logical', '/conditions']],
  ['{"logical":"or","conditions":[null,7]}', ['/conditions/0', '/conditions/1']],
])('%s is wrong at %j', (text, paths) => {
  expect(pathsOf(text)).toEqual(paths);
});

it.each<[condition: object, paths: string[]]>([
  [{}, ['/property', '/operator']],
  [{ property: null, operator: 5, values: 'x' }, ['/property', '/operator', '/values']],
  [{ property: 'a..b', operator: 'equals', values: [1] }, ['/property', '/operator', '/values/0']],
  [{ property: 'age', operator: 'Is', values: ['1'] }, ['/operator']],
  [{ property: 'age', operator: 'is', value: ['1'] }, ['/value', '/values']],
  [{ property: 'age', operator: 'is', values: ['x', 'y'] }, ['/values', '/values/0', '/values/1']],
  [{ property: 'age', operator: 'is', values: ['1', 2] }, ['/values', '/values/1']],
  [{ property: 'age', operator: 'is between', values: ['1'] }, ['/values']],
  [{ property: 'age', operator: 'is one of', values: null }, ['/values']],
  [
    { property: 'age', operator: 'is one of', values: ['1', 'x', '2', null] },
    ['/values/1', '/values/3'],
  ],
  [{ property: 'active', operator: 'is', values: ['true'] }, ['/operator']],
  [{ property: 'active', operator: 'is true', values: ['x'] }, ['/values']],
  [{ property: 'active', operator: 'is null', values: ['x'] }, ['/operator', '/values']],
  [{ property: 'nope', operator: 'is', values: [] }, ['/property', '/values']],
  [{ property: 'name', operator: 'is', values: [''] }, ['/values/0']],
  [{ property: 'name', operator: 'is', values: ['a\0'] }, ['/values/0']],
  [{ property: 'name', operator: 'is', values: ['x'.repeat(1001)] }, ['/values/0']],
  [{ property: 'name', operator: 'is', values: ['😀'.repeat(1000)] }, []],
  [{ property: 'plan', operator: 'is', values: [''] }, []],
  [{ property: 'plan', operator: 'is', values: ['gold'] }, ['/values/0']],
  [{ property: 'traits.a', operator: 'is before', values: ['x'] }, ['/values/0']],
  [{ property: 'active', operator: 'is true' }, []],
  [{ property: 'active', operator: 'is true', values: null }, []],
  [{ property: 'active', operator: 'is true', values: [] }, []],
  [{ property: 'age', operator: 'is between', values: ['2', '1'] }, []],
  [{ property: 'age', operator: 'is one of', values: ['2', '2'] }, []],
])('%j is wrong at %j', (condition, paths) => {
  expect(pathsOf(one(condition))).toEqual(paths.map((path) => `/conditions/0${path}`));
});

it('reports every condition, in order', () => {
  const conditions = [
    { operator: 'is', property: 'nope', values: ['x', 'y'], extra: 1 },
    { property: 'age', operator: 'is', values: ['1'] },
    { property: 'traits', operator: 'starts with', values: [''] },
  ];
  expect(pathsOf(JSON.stringify({ conditions, logical: 'any' }), 'DestinationUser')).toEqual([
    '/logical',
    '/conditions/0/extra',
    '/conditions/0/property',
    '/conditions/0/values',
    '/conditions/2/property',
    '/conditions/2/values/0',
  ]);
});

it.each<[condition: object, message: string]>([
  [
    { property: 'active', operator: 'is', values: ['true'] },
    '"is" does not fit "active" (boolean, not nullable, always there), which takes "is true", "is false"',
  ],
  [
    { property: 'agee', operator: 'is', values: ['1'] },
    'there is no property "agee": did you mean "age"?',
  ],
  [
    { property: 'age', operator: 'is greater then', values: ['1'] },
    'there is no such operator: did you mean "is greater than"?',
  ],
  [
    { property: 'age', operator: 'is', values: ['1'], valeus: [] },
    'unknown property: did you mean "values"?',
  ],
  [{ property: 'age', operator: 'is', values: [] }, 'the operator takes 1 operand, 0 given'],
  [{ property: 'age', operator: 'is', values: ['x'] }, 'must be an integer of at most 64 bits'],
  [{ property: 'plan', operator: 'is', values: ['x'] }, 'must be one of "free", "é", ""'],
  [{ property: 'name', operator: 'is', values: [''] }, 'must have 1 to 1000 characters, has 0'],
])('states the rule that %j breaks', (condition, message) => {
  expect(issuesOf(one(condition)).map((issue) => issue.message)).toEqual([message]);
});

describe('operands on the strings of events', () => {
  const decomposed = 'e\u0301';

  it.each<[FilterContext, string]>([
    ['SourceEvent', 'é'],
    ['DestinationEvent', 'é'],
    ['SourceUser', decomposed],
    ['DestinationUser', decomposed],
  ])('in %s are stored as %p', (context, expected) => {
    expect(stored({ property: 'name', operator: 'is', values: [decomposed] }, context)).toEqual([
      expected,
    ]);
    expect(
      stored({ property: 'tags', operator: 'contains', values: [decomposed] }, context),
    ).toEqual([expected]);
  });

  it('are normalised before they are looked for among the values', () => {
    const condition = one({ property: 'plan', operator: 'is', values: [decomposed] });
    expect(pathsOf(condition, 'SourceEvent')).toEqual([]);
    expect(pathsOf(condition, 'SourceUser')).toEqual(['/conditions/0/values/0']);
  });

  it('are counted as they are stored', () => {
    const long = (count: number) =>
      one({ property: 'name', operator: 'is', values: [decomposed.repeat(count)] });
    expect(pathsOf(long(1000), 'SourceEvent')).toEqual([]);
    expect(pathsOf(long(1001), 'SourceEvent')).toEqual(['/conditions/0/values/0']);
    expect(pathsOf(long(501), 'SourceUser')).toEqual(['/conditions/0/values/0']);
  });

  it('stay as they are inside JSON', () => {
    const condition = { property: 'traits.a', operator: 'is', values: [decomposed] };
    expect(stored(condition, 'SourceEvent')).toEqual([decomposed]);
  });
});

it('reads back in one order, without the values that no operator takes', () => {
  const conditions = [
    { values: ['+5'], operator: 'is', property: 'age' },
    { values: [], operator: 'is true', property: 'active' },
  ];
  const filter = parseFilter(
    parseJson(JSON.stringify({ conditions, logical: 'or' })),
    schema,
    'SourceUser',
  );
  expect(printFilter(filter)).toBe(
    '{"logical":"or","conditions":[{"property":"age","operator":"is","values":["5"]},{"property":"active","operator":"is true"}]}',
  );
});
