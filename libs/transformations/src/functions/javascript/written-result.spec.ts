import { WrittenResults } from './written-result';

const results = new WrittenResults((atom) => `own ${atom}`);
const read = (hex: string): string | undefined => results.textOf(Buffer.from(hex, 'hex'));

it.each([
  ['nothing', '1c000800b8000800', '{}'],
  ['a small integer', '1c0b02878a010102780801020502', '{"x":1}'],
  ['a text of Latin letters', '1c00000000000702e9', '"é"'],
  ['another text', '1c6507b652000703e565', '"日"'],
  ['a text that looks marked', '1c000000000007040162', String.raw`"\u0001s\u0001b"`],
  [
    'an integer beyond doubles',
    '1c001a6c7f000a09000010632d5ec76b05',
    String.raw`"\u0001b${10n ** 20n}"`,
  ],
  ['a negative bigint', '1c00000000000a01fb', String.raw`"\u0001b-5"`],
  ['the bigint zero', '1c000a0026000a00', String.raw`"\u0001b0"`],
  ['a Date', '1c002646e60012060000000000001440', String.raw`"\u0001d1970-01-01T00:00:00.005Z"`],
  ['a Date of no moment', '1c000a86e2001206000000000000f87f', String.raw`"\u0001xan invalid Date"`],
  ['a name of the engine', '1c03bfe67801ba0801020502', '{"own 58":1}'],
  ['a name of the engine with a large number', '1c01d570ca01d5020801020502', '{"own 149":1}'],
  [
    'members and elements',
    '1c965e82a103010261010262b3080302050204070478790609090502020201040306000000000000f83f050d05c0cf24',
    '{"a":1,"b":"xy","own 51":[1,null,null,null,true,false,1.5,-7,300000]}',
  ],
  ['undefined members', '1c000000000101026108010202', '{}'],
])('reads %s', (_, hex, text) => {
  expect(read(hex)).toBe(text);
});

it.each([
  ['a Map', '1c0015010d0015010702610502'],
  ['a symbol', '1c021aa81e01030109011702'],
  ['a boxed text', '1c6113de1e0013070261'],
  ['a name that is an index', '1c00000000000801 0b0502'.replaceAll(' ', '')],
  ['a long name that is an index', '1c00000000010104313208010205 02'.replaceAll(' ', '')],
  ['a name that was not defined before', '1c00000000000801020502'],
  ['another version', '1d000800b8000800'],
  ['a text that was cut', '1c0000000000'],
  ['too many levels', `1c0000000000${'0901'.repeat(102)}01`],
])('leaves %s to the guest', (_, hex) => {
  expect(read(hex)).toBeUndefined();
});

it('reads as many levels as the guest would write', () => {
  expect(read(`1c0000000000${'0901'.repeat(101)}01`)).toBe(
    `${'['.repeat(101)}null${']'.repeat(101)}`,
  );
});

it('limits the cache of names, and reads results all the same', () => {
  const bytes = (name: string) =>
    `1c000000000101${(name.length * 2).toString(16).padStart(2, '0')}${Buffer.from(name).toString('hex')}0801`;
  for (let index = 0; index < 10_001; index += 1) {
    const name = `n${index}`;
    expect(read(`${bytes(name)}020502`)).toBe(`{"${name}":1}`);
  }
});
