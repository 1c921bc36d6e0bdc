import fc from 'fast-check';
import { AnswerScanner } from './answer-scanner';

const COLUMNS = [{ name: 'a"b]', type: 'String' }];

const answerOf = (rows: readonly unknown[][]): string =>
  JSON.stringify({ meta: COLUMNS, data: rows, rows: rows.length, statistics: { elapsed: 0.1 } });

/** Scans a text in pieces of these sizes, over and over. */
const scan = (text: string, sizes: readonly number[], scanner = new AnswerScanner()) => {
  const bytes = Buffer.from(text);
  const found: [string, unknown][] = [];
  for (let at = 0, n = 0; at < bytes.length; n += 1) {
    const size = sizes[n % sizes.length] ?? bytes.length;
    for (const { member, text: element } of scanner.elements(bytes.subarray(at, at + size)))
      found.push([member, JSON.parse(element.toString())]);
    at += size;
  }
  return { found, scanner };
};

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
const cells = fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 3 });
const rows = fc.array(cells, { maxLength: 6 });

it('rows are found however the answer is cut', () => {
  fc.assert(
    fc.property(rows, sizes, (data, pieces) => {
      const { found, scanner } = scan(answerOf(data), pieces);
      const expected = JSON.parse(JSON.stringify(data)) as unknown[];
      expect(found).toEqual([['meta', COLUMNS[0]], ...expected.map((row) => ['data', row])]);
      expect(scanner.problem(data.length)).toBeUndefined();
    }),
  );
});

it('an answer that ends anywhere before its end is not whole', () => {
  fc.assert(
    fc.property(rows, sizes, fc.nat(), (data, pieces, at) => {
      const text = answerOf(data);
      const { found, scanner } = scan(text.slice(0, at % (text.length - 1)), pieces);
      expect(scanner.problem(found.filter(([member]) => member === 'data').length)).toBeDefined();
    }),
  );
});

const said = ': Value passed to "throwIf" [is] {non zero}, e.what() = DB::Exception\n';

it.each([
  `Code: 395, e.displayText() = DB::Exception${said}`,
  `\r\n__exception__\r\nabc\r\nCode: 395. DB::Exception${said}`,
])('an error behind a row is not taken for rows: %j', (error) => {
  fc.assert(
    fc.property(sizes, (pieces) => {
      const text = `${answerOf([['x'], ['y']]).split(']],"rows"')[0] ?? ''}]${error}`;
      const { found, scanner } = scan(text, pieces);
      expect(found.slice(1)).toEqual([
        ['data', ['x']],
        ['data', ['y']],
      ]);
      expect(scanner.problem(2)).toMatchObject({
        code: 395,
        message: 'Value passed to "throwIf" [is] {non zero}',
      });
    }),
  );
});

it('totals are no rows', () => {
  const { found, scanner } = scan(
    '{"meta":[],"data":[[1]],"totals":[[2]],"extremes":{"min":[1],"max":[1]},"rows":1}',
    [3],
  );
  expect(found).toEqual([
    ['data', [1]],
    ['totals', [2]],
    ['extremes', [1]],
    ['extremes', [1]],
  ]);
  expect(scanner.problem(1)).toBeUndefined();
});

it.each([
  [100, false],
  [101, true],
])('a row of %d bytes, where 100 are allowed, is too large: %s', (bytes, isTooLarge) => {
  const row = `["${'x'.repeat(bytes - 4)}"]`;
  const reading = () => scan(`{"meta":[],"data":[${row}],"rows":1}`, [7], new AnswerScanner(100));
  if (isTooLarge) expect(reading).toThrow('a row takes more than 0 MiB');
  else expect(reading().found).toHaveLength(1);
});
