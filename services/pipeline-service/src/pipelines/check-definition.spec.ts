import { Refusal } from '@penstock/contracts';
import { checkDefinition } from './check-definition';
import type { SubmittedFunction } from './read-transformation';

const OUT = JSON.stringify({
  kind: 'object',
  properties: [
    { name: 'email', type: { kind: 'string' } },
    {
      name: 'address',
      type: { kind: 'object', properties: [{ name: 'city', type: { kind: 'string' } }] },
    },
  ],
});

const FUNCTION: SubmittedFunction = {
  source: 'x',
  language: 'Python',
  preserveJSON: false,
  inPaths: [],
  outPaths: ['email'],
};

const check = (members: Partial<SubmittedFunction>, outSchema: string | null = OUT) =>
  checkDefinition(
    { filter: null, outSchema },
    { kind: 'function', function: { ...FUNCTION, ...members } },
  );

const refusalOf = (checked: () => unknown): Refusal | undefined => {
  try {
    checked();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
};

it('sorts the paths', () => {
  const inPaths = ['traits', 'context.page', 'anonymousId'];
  const outPaths = ['email', 'address.city'];
  expect(check({ inPaths, outPaths }).transformation).toEqual({
    mapping: null,
    function: {
      ...FUNCTION,
      inPaths: ['anonymousId', 'context.page', 'traits'],
      outPaths: ['address.city', 'email'],
    },
  });
});

const AT = '/transformation/function';

it.each<[string, Partial<SubmittedFunction>, string[]]>([
  ['not in the event', { inPaths: ['traits', 'trait'] }, [`${AT}/inPaths/1`]],
  ['inside json', { inPaths: ['traits.email'] }, [`${AT}/inPaths/0`]],
  [
    'no path at all',
    { inPaths: ['', 'a..b', 'traits.'] },
    [0, 1, 2].map((n) => `${AT}/inPaths/${n}`),
  ],
  ['there twice', { inPaths: ['traits', 'event', 'traits'] }, [`${AT}/inPaths/2`]],
  ['inside another, before it', { inPaths: ['context.page.url', 'context'] }, [`${AT}/inPaths/0`]],
  [
    'inside another, behind it',
    { inPaths: ['context.page', 'context.page.url'] },
    [`${AT}/inPaths/1`],
  ],
  ['beside each other', { inPaths: ['context.page.url', 'context.page.path'] }, []],
  ['none of the output', { outPaths: [] }, [`${AT}/outPaths`]],
  [
    'not in the output',
    { outPaths: ['address.street', 'traits'] },
    [0, 1].map((n) => `${AT}/outPaths/${n}`),
  ],
  ['inside another of the output', { outPaths: ['address', 'address.city'] }, [`${AT}/outPaths/1`]],
])('refuses paths that are %s', (_, members, paths) => {
  expect(refusalOf(() => check(members))?.details.map(({ path }) => path) ?? []).toEqual(paths);
});

it('requires an outSchema', () => {
  expect(
    refusalOf(() => check({ inPaths: ['no'] }, null))?.details.map(({ path }) => path),
  ).toEqual(['/outSchema', `${AT}/inPaths/0`]);
});

describe('a mapping and its schema', () => {
  const checkMapping = (mapping: Record<string, string>, outSchema: unknown) =>
    checkDefinition(
      { filter: null, outSchema: outSchema === null ? null : JSON.stringify(outSchema) },
      { kind: 'mapping', mapping: new Map(Object.entries(mapping)) },
    );
  const detailsOf = (...of: Parameters<typeof checkMapping>) =>
    refusalOf(() => checkMapping(...of))?.details;
  const KEY = '/transformation/mapping';

  it('are reported with every expression that is wrong', () => {
    const mapping = { email: 'lower(', 'address.city': 'traitz' };
    expect(detailsOf(mapping, JSON.parse(OUT))).toEqual([
      { path: `${KEY}/email`, message: 'line 1, column 7: an expression is expected' },
      {
        path: `${KEY}/address.city`,
        message: 'line 1, column 1: there is no property "traitz"; did you mean "traits"?',
      },
    ]);
  });

  it('are both reported when both are wrong', () => {
    const outSchema = {
      kind: 'object',
      properties: [
        { name: '1st', type: { kind: 'string' } },
        { name: 'b', type: { kind: 'text' } },
      ],
    };
    expect(detailsOf({ a: 'lower(', b: 'traitz', c: 'traits' }, outSchema)).toMatchObject([
      { path: '/outSchema/properties/0/name' },
      { path: '/outSchema/properties/1/type/kind' },
      { path: `${KEY}/a` },
      { path: `${KEY}/b` },
    ]);
  });

  it('are reported with each flag that is not allowed in a schema with other issues', () => {
    const outSchema = {
      kind: 'object',
      properties: [5, { name: 'a', type: { kind: 'text' }, readOptional: true }],
    };
    expect(detailsOf({ a: 'traits' }, outSchema)).toMatchObject([
      { path: '/outSchema/properties/0' },
      { path: '/outSchema/properties/1/type/kind' },
      { path: '/outSchema/properties/1/readOptional' },
    ]);
  });

  it('are both reported when only a flag is wrong in the schema', () => {
    const outSchema = {
      kind: 'object',
      properties: [{ name: 'a', type: { kind: 'json' }, readOptional: true }],
    };
    expect(detailsOf({ b: 'traits' }, outSchema)).toMatchObject([
      { path: '/outSchema/properties/0/readOptional' },
      { path: `${KEY}/b` },
      { path: '/outSchema', message: 'property a is not given by the mapping' },
    ]);
  });

  it('are both reported when there is no schema', () => {
    expect(detailsOf({ a: 'lower(', b: 'traits' }, null)).toMatchObject([
      { path: '/outSchema' },
      { path: `${KEY}/a` },
    ]);
  });
});

it.each(['Ruby', 'javascript', 'Python ', ''])('does not support %j', (language) => {
  expect(refusalOf(() => check({ language }))?.code).toBe('UnsupportedLanguage');
});

it('reports wrong members before an unsupported language', () => {
  expect(refusalOf(() => check({ language: 'Ruby', outPaths: [] }))?.code).toBe('BadRequest');
});

it('reports no more issues than an answer can hold', () => {
  const inPaths = Array.from({ length: 5_000 }, (_, n) => `p${n}`);
  const refusal = refusalOf(() => check({ inPaths }));
  expect(refusal?.details).toHaveLength(1_000);
  expect(refusal?.message).toBe('request is not valid: at least 4000 more problems are not named');
});
