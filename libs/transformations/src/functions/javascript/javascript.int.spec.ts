import { FunctionRefused } from '../function-errors';
import { bench } from '../runner.fixture';

const { runner, compile, run } = bench('JavaScript');
afterAll(() => runner.close());
jest.setTimeout(60_000);

const text = (expression: string) =>
  run(`const transform = async (event) => ({ text: ${expression} });`, ['a']);

const THERE: readonly [expression: string, expected: string][] = [
  ["new URL('../d?x=1#h', 'https://a.b/c/').href", 'https://a.b/d?x=1#h'],
  ["new URL('https://a.b/?q=1').searchParams.get('q')", '1'],
  [
    "(() => { const u = new URL('https://a.b/?q=1'); u.searchParams.set('q', '2'); return u.href; })()",
    'https://a.b/?q=2',
  ],
  ["new URLSearchParams({ a: '1 2' }).toString()", 'a=1+2'],
  ["new TextDecoder().decode(new TextEncoder().encode('é'))", 'é'],
  ["atob(btoa('x'))", 'x'],
  ['structuredClone({ a: [1n] }).a[0].toString()', '1'],
  ['String(crypto.randomUUID().length)', '36'],
  ['String(crypto.getRandomValues(new Uint8Array(4)).length)', '4'],
  [
    "Array.from(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode('a')))).slice(0, 2).join()",
    '202,151',
  ],
  ["await new Promise((resolve) => setTimeout(resolve, 5, 'late'))", 'late'],
  [
    "await new Promise((resolve) => { clearTimeout(setTimeout(resolve, 1, 'no')); setTimeout(resolve, 20, 'yes'); })",
    'yes',
  ],
];

it.each(THERE)('has %s', async (expression, expected) => {
  expect((await text(expression)).records).toEqual([{ text: expected }]);
});

const REFUSED: readonly [source: string, message: RegExp, line: number, column: number][] = [
  ['const a = 1;\nlet b = ;', /^JavaScript: SyntaxError: .* \(line 2, column 9\)$/, 2, 9],
  ['throw new TypeError("no");', /^JavaScript: TypeError: no/, 1, 11],
  ['const other = 1;', /^JavaScript: ReferenceError: transform is not defined$/, 0, 0],
  ['const transform = 1;', /^JavaScript: ReferenceError: transform is not defined$/, 0, 0],
  ['for (;;);', /^JavaScript: time limit of 2 s exceeded$/, 0, 0],
  [
    'const a = []; for (;;) a.push(new Uint8Array(1e6));',
    // On a busy machine the time may be over first.
    /^JavaScript: (memory limit|time limit of 2 s) exceeded$/,
    0,
    0,
  ],
  ['import fs from "fs"; function transform() {}', /^JavaScript: SyntaxError/, 1, 8],
  [')]}', /^JavaScript: SyntaxError/, 1, 1],
];

it.each(REFUSED)('refuses %j', async (source, message, line, column) => {
  const error = await compile(source).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(FunctionRefused);
  expect(error).toMatchObject({ message: expect.stringMatching(message) as string, line, column });
});

it.each([
  'function transform(e) { return e; }',
  'async function transform(e) { return e; }',
  'const transform = (e) => e;',
])('accepts %j', async (source) => {
  await expect(compile(source)).resolves.toBeUndefined();
});

it('reports where a function threw', async () => {
  const { records } = await run('function transform(e) {\n  return e.x.y;\n}', ['a']);
  expect(records).toEqual([
    expect.objectContaining({
      step: 'Transformation',
      message: "JavaScript: TypeError: cannot read property 'y' of undefined (line 2, column 10)",
    }),
  ]);
});

it('tells what was thrown with and without its text', async () => {
  const { records } = await run(
    `function transform({ text }) { throw text === '1' ? 'ann@example.com' : new TypeError('ann@example.com'); }`,
    ['1', '2'],
  );
  expect(records).toEqual([
    expect.objectContaining({
      message: 'JavaScript: string "ann@example.com"',
      withoutValue: 'JavaScript: an exception',
    }),
    expect.objectContaining({
      message: expect.stringMatching(/^JavaScript: TypeError: ann@example.com \(line 1,/) as string,
      withoutValue: expect.stringMatching(
        /^JavaScript: TypeError \(line 1, column \d+\)$/,
      ) as string,
    }),
  ]);
});

it.each([
  [
    'a property that was not asked for',
    '{ other: 1 }',
    /^other: is not one of the output properties/,
  ],
  ['a value of another kind', '{ number: "1" }', /^number: is not a value of an int property/],
  ['a value out of range', '{ number: 2 ** 31 }', /^number: must be between/],
  ['a function', '{ text: () => 1 }', /^text: /],
  ['NaN inside json', '{ data: { a: [NaN] } }', /^data\["a"\]\[0\]: NaN has no JSON/],
  ['half of a surrogate pair', '{ text: "\\ud800" }', /^text: /],
])('fails %s at output validation', async (_, result, message) => {
  const { records } = await run(`const transform = () => (${result});`, ['a']);
  expect(records).toEqual([
    expect.objectContaining({
      step: 'OutputValidation',
      message: expect.stringMatching(message) as string,
    }),
  ]);
});
