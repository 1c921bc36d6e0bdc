import { compileMapping } from './compile-mapping';
import { OutputValidationError, TransformationError } from './errors';
import type { Purpose } from './purpose';
import { INPUT, RECORD, schemaOf } from './trial.fixture';

const TEXT = { kind: 'string' };
const INT = { kind: 'int', bitSize: 32 };
const OUTPUT = schemaOf(
  { name: 'a', type: TEXT },
  { name: 'n', type: TEXT, nullable: true },
  { name: 'i', type: INT },
  { name: 'c', type: TEXT, createRequired: true },
  {
    name: 'q',
    type: {
      kind: 'object',
      properties: [
        { name: 'x', type: TEXT },
        { name: 'y', type: INT, createRequired: true },
        { name: 'deep', type: { kind: 'object', properties: [{ name: 'w', type: TEXT }] } },
      ],
    },
  },
);

const apply = (mapping: Record<string, string>, purpose: Purpose = 'None'): unknown =>
  compileMapping(new Map(Object.entries(mapping)), INPUT, OUTPUT).apply(RECORD, purpose);

const failure = (mapping: Record<string, string>, purpose: Purpose = 'None'): Error => {
  try {
    apply(mapping, purpose);
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('it did not fail');
};

it('nests the output by path and leaves out nulls', () => {
  expect(apply({ 'q.x': 's', 'q.deep.w': 'i', a: 'sn', n: 'sn', 'q.y': 'se' })).toEqual({
    q: { x: 'Hello World', deep: { w: '42' } },
    n: null,
  });
});

it('creates no object without members', () => {
  expect(apply({ 'q.x': 'sn', a: 's' })).toEqual({ a: 'Hello World' });
});

it('sorts outPaths', () => {
  const mapping = new Map([
    ['q.x', 's'],
    ['a', 's'],
  ]);
  expect(compileMapping(mapping, INPUT, OUTPUT).outPaths).toEqual(['a', 'q.x']);
});

it.each<[what: string, mapping: Record<string, string>, purpose: Purpose, fails: boolean]>([
  ['a null that Create requires', { c: 'sn' }, 'Create', true],
  ['the same for Update', { c: 'sn' }, 'Update', false],
  ['the same for nothing', { c: 'sn' }, 'None', false],
  ['a null inside an object that nothing else gives', { 'q.y': 'sn' }, 'Create', true],
  ['a required property that no key gives', { 'q.x': 's' }, 'Create', true],
  ['the same for Update', { 'q.x': 's' }, 'Update', false],
  ['the same in an object that is not there', { 'q.x': 'sn' }, 'Create', false],
  ['the same in an object that one key gives', { q: 'map("x", s)' }, 'Create', true],
  ['a required property that no key gives at the top', { a: 's' }, 'Create', false],
])('%s', (_what, mapping, purpose, fails) => {
  if (fails) expect(() => apply(mapping, purpose)).toThrow(OutputValidationError);
  else expect(() => apply(mapping, purpose)).not.toThrow();
});

it('fails the transformation first, whatever the order of the keys', () => {
  expect(failure({ i: 's', a: 'j.text.x' })).toBeInstanceOf(TransformationError);
  expect(failure({ a: 'j.text.x', i: 's' })).toBeInstanceOf(TransformationError);
});

it.each<[mapping: Record<string, string>, purpose: Purpose, message: string]>([
  [
    { i: 'lower(s)' },
    'None',
    'i = lower(s): does not convert to {"kind":"int","bitSize":32}: hello world',
  ],
  [
    { 'q.x': 'j.text.k' },
    'None',
    'q.x = j.text.k: "k" is looked up in JSON that is not an object: "t"',
  ],
  [
    { a: 'upper(j.list)' },
    'None',
    'a = upper(j.list): a JSON array or object has no text: [1,"x",null]',
  ],
  [{ c: 'sn' }, 'Create', 'c = sn: required (Create), but not given'],
  [{ 'q.x': 's' }, 'Create', 'q.y: required (Create), but not given'],
])('reports for %j with purpose %s what failed', (mapping, purpose, message) => {
  expect(failure(mapping, purpose).message).toBe(message);
});

it('quotes 100 characters of the value', () => {
  const { message } = failure({ i: `lower("${'😀'.repeat(101)}")` });
  expect(message.endsWith(`: ${'😀'.repeat(100)}`)).toBe(true);
});

it('does not change the input, and returns the same result again', () => {
  const mapping = { a: 's', 'q.x': 'j.text' };
  expect(apply(mapping)).toEqual(apply(mapping));
});
