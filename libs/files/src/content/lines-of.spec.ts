import { type Line, linesOf } from './lines-of';

const MAX_LENGTH = 10;

async function* inPieces(text: string, length: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += length)
    yield await Promise.resolve(text.slice(at, at + length));
}

const read = async (text: string, length: number, maxLength = MAX_LENGTH): Promise<Line[]> => {
  const lines: Line[] = [];
  for await (const batch of linesOf(inPieces(text, length), maxLength)) lines.push(...batch);
  return lines;
};

const X = 'x'.repeat(MAX_LENGTH);

it.each<[string, (string | null)[]]>([
  ['', []],
  ['\n', ['']],
  ['a', ['a']],
  ['a\r', ['a']],
  ['a\r\n\r\nb\rc\n\nd', ['a', '', 'b\rc', '', 'd']],
  [`${X}\n${X}`, [X, X]],
  [`${X}x\na\n${X}${X}${X}\n\n${X}x`, [null, 'a', null, '', null]],
])('%j has the lines %j, wherever it is cut', async (text, expected) => {
  for (const length of [1, 2, 3, 7, 100])
    expect(await read(text, length)).toEqual(
      expected.map((each, index) => ({ number: index + 1, text: each })),
    );
});

it('searches a character once for the end of a line, however small the chunks are', async () => {
  const text = `${'x'.repeat(2_000)}\n`.repeat(3);
  const { indexOf } = String.prototype;
  let searched = 0;
  jest.spyOn(String.prototype, 'indexOf').mockImplementation(function (
    this: string,
    wanted: string,
    from = 0,
  ) {
    const found = indexOf.call(this, wanted, from);
    if (wanted === '\n') searched += (found < 0 ? this.length : found + 1) - from;
    return found;
  });
  const lines = await read(text, 1, text.length);
  jest.restoreAllMocks();
  expect(lines).toHaveLength(3);
  expect(searched).toBe(text.length);
});
