import fc from 'fast-check';
import { opened } from '../testing.fixture';
import { dataPage, int32s, parquetOf, readParquet, varInt } from './parquet-file.fixture';
import { checkThrift } from './thrift-bounds';

const check = (bytes: readonly number[] | Uint8Array, maxValues = 100): string => {
  try {
    checkThrift(Uint8Array.from(bytes), maxValues);
    return 'passes';
  } catch (error) {
    return String(error);
  }
};

const STOP = 0;
/** Heads of a first field, by its type. */
const [BOOLEAN, NUMBER, BYTES, LIST, STRUCT] = [0x11, 0x15, 0x18, 0x19, 0x1c];
const CUT_OFF = 'Damaged: a description is cut off';
const TOO_MANY = 'Damaged: a description has too many values';
const TOO_DEEP = 'Damaged: a description is nested too deep';

it.each([
  ['nothing', [STOP], 'passes'],
  ['no end', [], CUT_OFF],
  ['a boolean', [BOOLEAN, STOP], 'passes'],
  ['a number', [NUMBER, 0x80, 1, STOP], 'passes'],
  ['a number that is cut off', [NUMBER, 0x80], CUT_OFF],
  ['a number of ten bytes', [NUMBER, ...Array<number>(9).fill(0x80), 1, STOP], 'passes'],
  [
    'a number of eleven bytes',
    [NUMBER, ...Array<number>(10).fill(0x80), 1, STOP],
    'Damaged: a number is too long',
  ],
  ['text', [BYTES, 2, 1, 1, STOP], 'passes'],
  ['text that is cut off', [BYTES, 2, 1], CUT_OFF],
  ['text of 4 GiB', [BYTES, 0xff, 0xff, 0xff, 0xff, 0x0f, STOP], CUT_OFF],
  ['booleans', [LIST, 0x32, 1, 2, 1, STOP], 'passes'],
  ['booleans that are cut off', [LIST, 0x32, 1, 2], CUT_OFF],
  ['many booleans', [LIST, 0xf2, 99, ...Array<number>(99).fill(1), STOP], 'passes'],
  ['too many booleans', [LIST, 0xf2, 100, ...Array<number>(100).fill(1), STOP], TOO_MANY],
  ['too many fields', [...Array<number>(101).fill(BOOLEAN), STOP], TOO_MANY],
  ['a list that claims 33,554,431 lists', [LIST, 0xf9, ...varInt(33_554_431), STOP], CUT_OFF],
  ['doubles', [LIST, 0x17, ...Array<number>(8).fill(0), STOP], 'passes'],
  ['doubles that are cut off', [LIST, 0x17, 0, 0, STOP], CUT_OFF],
  ['a map', [0x1b, 0, STOP], 'Damaged: a description has a type that is not known'],
  [
    '16 within each other',
    [...Array<number>(15).fill(STRUCT), ...Array<number>(16).fill(0)],
    'passes',
  ],
  [
    '17 within each other',
    [...Array<number>(16).fill(STRUCT), ...Array<number>(17).fill(0)],
    TOO_DEEP,
  ],
  ['lists within each other', [LIST, ...Array<number>(20).fill(0x19), 0, STOP], TOO_DEEP],
])('%s', (_, bytes, answer) => {
  expect(check(bytes)).toBe(answer);
});

it('random bytes pass or are refused, and nothing else', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(check(bytes)).toMatch(/^passes$|^Damaged: /);
    }),
    { numRuns: 1_000 },
  );
});

/** A file whose description, or the head of its page, is made of such lists: 100,000 elements for 4 bytes. */
const bomb = Uint8Array.from([
  LIST,
  ...Array.from({ length: 3 }, () => [0xf9, ...varInt(100_000)]).flat(),
]);

const described = (description: Uint8Array): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(description.length);
  return Buffer.concat([Buffer.from('PAR1'), description, length, Buffer.from('PAR1')]);
};

const refusal = {
  name: 'FileFault',
  kind: 'InvalidFile',
  cause: { name: 'Damaged', message: 'a description is cut off' },
};

it('a file whose description claims more than there is is refused before room is made for it', async () => {
  await expect(opened('parquet', described(bomb))).rejects.toMatchObject(refusal);
});

it('a page whose head claims more than there is is refused before room is made for it', async () => {
  const content = parquetOf(1, [
    {
      element: { type: 'INT32', repetition_type: 'REQUIRED' },
      count: 1,
      pages: [dataPage(1, 'PLAIN', int32s(1))],
    },
  ]);
  // Over the head, which begins behind the magic word; what comes behind it is read as more of it.
  const bad = Buffer.concat([content.subarray(0, 4), bomb, content.subarray(4 + bomb.length)]);
  expect((await readParquet(content)).records).toEqual([{ c0: 1 }]);
  await expect(readParquet(bad)).rejects.toMatchObject({
    ...refusal,
    cause: { name: 'Damaged' },
  });
});
