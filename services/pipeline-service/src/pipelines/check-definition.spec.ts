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

it('wants an outSchema', () => {
  expect(
    refusalOf(() => check({ inPaths: ['no'] }, null))?.details.map(({ path }) => path),
  ).toEqual(['/outSchema', `${AT}/inPaths/0`]);
});

it.each(['Ruby', 'javascript', 'Python ', ''])('does not support %j', (language) => {
  expect(refusalOf(() => check({ language }))?.code).toBe('UnsupportedLanguage');
});

it('tells what is wrong with the members before the language', () => {
  expect(refusalOf(() => check({ language: 'Ruby', outPaths: [] }))?.code).toBe('BadRequest');
});

it('tells no more than an answer can hold', () => {
  const inPaths = Array.from({ length: 5_000 }, (_, n) => `p${n}`);
  expect(refusalOf(() => check({ inPaths }))?.details).toHaveLength(1_000);
});
