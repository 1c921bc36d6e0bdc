import { textOf } from '@penstock/schema';
import fc from 'fast-check';
import { ExpressionFault } from './expression-fault';
import { EXPRESSION_LIMITS, parseExpression } from './parse-expression';
import type { Node } from './tree';

/** Writes the tree as text: literals by their value, paths dotted, calls and concatenations in parentheses. */
const written = (node: Node): string => {
  switch (node.kind) {
    case 'literal':
      if (node.type?.kind === 'string') return JSON.stringify(node.value);
      return `${node.type ? textOf(node.type, node.value) : 'null'}:${node.type?.kind ?? 'null'}`;
    case 'path':
      return [node.root, ...node.steps]
        .map(({ name, lenient }) => name + (lenient ? '?' : ''))
        .join('.');
    case 'call':
      return `${node.name}(${node.arguments.map(written).join(', ')})`;
    case 'concatenation':
      return `(${node.parts.map(written).join(' ')})`;
  }
};

/** Index of the error, or -1 when the text is an expression. */
const faultAt = (text: string): number => {
  try {
    parseExpression(text);
    return -1;
  } catch (error) {
    if (error instanceof ExpressionFault) return error.at;
    throw error;
  }
};

const GOOD: [text: string, tree: string][] = [
  ['s', 's'],
  ['\t\r\n s ', 's'],
  ['.s', 's'],
  ['.true', 'true'],
  ['true_', 'true_'],
  ['true', 'true:boolean'],
  ['null', 'null:null'],
  ['a.b["c d"].e', 'a.b.c d.e'],
  ["a[ 'b' ]", 'a.b'],
  ['a?.b?["c"]?', 'a?.b?.c?'],
  ['"a"\'b\'', '("a" "b")'],
  ['s"x"', '(s "x")'],
  ['s .t', '(s t)'],
  ['5"a"', '(5:int "a")'],
  ['lower(s)upper(t)', '(lower(s) upper(t))'],
  ['lower (s)', 'lower(s)'],
  ['f( )', 'f()'],
  ['f(a,b c , "x")', 'f(a, (b c), "x")'],
  ['lower', 'lower'],
  ['-0', '0:int'],
  ['-2147483648', '-2147483648:int'],
  ['2147483648', '2147483648:int'],
  ['9223372036854775808', '9223372036854775808:decimal'],
  ['1.50', '1.5:decimal'],
  ['1.00', '1:int'],
  ['1E+2', '100:int'],
  ['1e75', `1${'0'.repeat(75)}:decimal`],
  ['1e-37', `0.${'0'.repeat(36)}1:decimal`],
  ['"\\a\\b\\f\\n\\r\\t\\v\\\\\\\'\\""', '"\\u0007\\b\\f\\n\\r\\t\\u000b\\\\\'\\""'],
  ['"\\u00e8\\U0001F600\\q\\0"', '"è😀q0"'],
  ['"a\nb"', '"a\\nb"'],
  ['""', '""'],
];

it.each(GOOD)('reads %j', (text, tree) => {
  expect(written(parseExpression(text))).toBe(tree);
});

const BAD: [text: string, at: number][] = [
  ['', 0],
  [' \n', 2],
  ['\u00a0s', 0],
  ['s,t', 1],
  ['s)', 1],
  ['s;', 1],
  ['(s)', 0],
  ['s + t', 2],
  ['s-t', 1],
  ['..s', 1],
  ['s.', 2],
  ['s. t', 2],
  ['s..t', 2],
  ['o ["a"]', 2],
  ['o["a"', 5],
  ['o[0]', 2],
  ['o["a" "b"]', 6],
  ['s??', 2],
  ['s ?', 2],
  ['true.x', 4],
  ['null["x"]', 4],
  ['o.f(s)', 3],
  ['.f(s)', 2],
  ['f(', 2],
  ['f(s', 3],
  ['f(s,', 4],
  ['f(s,)', 4],
  ['f(,)', 2],
  ['f(s;)', 3],
  ['"abc', 0],
  ['s "abc\\', 6],
  ['"\\u12g4"', 1],
  ['"\\u12"', 1],
  ['"\\u0000"', 1],
  ['"\\ud83d\\ude00"', 1],
  ['"\\U00110000"', 1],
  ['"\\U0000D800"', 1],
  ['"a\0"', 2],
  ['"\ud800"', 1],
  ['+5', 0],
  ['-', 0],
  ['- 5', 0],
  ['-.5', 0],
  ['.5', 1],
  ['5.', 1],
  ['5.x', 1],
  ['00', 1],
  ['0x10', 1],
  ['1e', 1],
  ['5abc', 1],
  ['5(', 1],
  ['1e76', 0],
  ['f(1e-38)', 2],
];

it.each(BAD)('refuses %j at %i', (text, at) => {
  expect(faultAt(text)).toBe(at);
});

describe('limits', () => {
  const { maxCharacters, maxNodes, maxNesting } = EXPRESSION_LIMITS;
  const nested = (depth: number): string => 'f('.repeat(depth) + 's' + ')'.repeat(depth);

  it.each<[what: string, within: string, beyond: string]>([
    ['characters', `"${'😀'.repeat(maxCharacters - 2)}"`, `"${'😀'.repeat(maxCharacters - 1)}"`],
    ['nodes', 's '.repeat(maxNodes), 's '.repeat(maxNodes + 1)],
    ['nodes in calls', `f(${'s,'.repeat(maxNodes - 2)}s)`, `f(${'s,'.repeat(maxNodes - 1)}s)`],
    ['nesting', nested(maxNesting), nested(maxNesting + 1)],
  ])('%s', (_what, within, beyond) => {
    expect(faultAt(within)).toBe(-1);
    expect(faultAt(beyond)).toBeGreaterThanOrEqual(0);
  });
});

it('throws only ExpressionFault, with an index within the text, for any text', () => {
  const token = fc.constantFrom(
    's',
    '.',
    '"',
    "'",
    '\\',
    '(',
    ')',
    ',',
    '[',
    ']',
    '?',
    '1',
    '-',
    'e',
    ' ',
    'true',
    '\\u00',
    'f(',
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(token).map((tokens) => tokens.join('')),
  );
  fc.assert(
    fc.property(text, (given) => {
      const at = faultAt(given);
      return at >= -1 && at <= given.length;
    }),
    { numRuns: 300 },
  );
});
