import { callOnGrowth } from './memory-growth';

/** The first bytes of every module. */
const PREAMBLE = [0, 97, 115, 109, 1, 0, 0, 0];
const I32 = 0x7f;
const NUMBER_TO_NUMBER = [0x60, 1, I32, 1, I32];
const NOTHING_TO_NOTHING = [0x60, 0, 0];

const section = (id: number, content: readonly number[]): number[] => [
  id,
  content.length,
  ...content,
];
const textOf = (name: string): number[] => [name.length, ...Buffer.from(name)];
const functionImport = (name: string, type: number): number[] => [
  ...textOf('host'),
  ...textOf(name),
  0,
  type,
];

/** A module that imports functions, has a memory of one page at first, and exports `run` with these instructions. */
const moduleOf = (
  instructions: readonly number[],
  imports: readonly number[][] = [functionImport('other', 0), functionImport('grow', 0)],
): Uint8Array<ArrayBuffer> => {
  const body = [0, ...instructions, 0x0b];
  return new Uint8Array([
    ...PREAMBLE,
    ...section(1, [2, ...NUMBER_TO_NUMBER, ...NOTHING_TO_NOTHING]),
    ...section(2, [imports.length, ...imports.flat()]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, 1]),
    ...section(7, [1, ...textOf('run'), 0, imports.length]),
    ...section(10, [1, body.length, ...body]),
  ]);
};

/** Runs a module. Returns its result, and the arguments of the calls of the import. */
const runOf = (module: Uint8Array<ArrayBuffer>, given: number) => {
  const calls: number[] = [];
  const grow = (pages: number): number => {
    calls.push(pages);
    return 100;
  };
  const instance = new WebAssembly.Instance(new WebAssembly.Module(module), {
    host: { grow, other: () => -7 },
  });
  const run = instance.exports['run'] as (value: number) => number;
  return { result: run(given), calls };
};

const GET = [0x20, 0];
const GROW = [0x40, 0x00];

it('calls the import with the number of pages, and continues with its result', () => {
  expect(runOf(callOnGrowth(moduleOf([...GET, ...GROW]), 'grow'), 3)).toEqual({
    result: 100,
    calls: [3],
  });
});

it('replaces each growth in a function', () => {
  const twice = [...GET, ...GROW, 0x1a, ...GET, ...GROW];
  expect(runOf(callOnGrowth(moduleOf(twice), 'grow'), 3).calls).toEqual([3, 3]);
});

/** Instructions whose immediates contain the bytes of a growth, each followed by an actual one. */
const LOOKALIKES: readonly [name: string, instructions: readonly number[]][] = [
  ['an empty block', [0x02, 0x40, 0x00, 0x0b]],
  ['a constant of 32 bits', [0x41, 0xc0, 0x40, 0x1a, 0x41, 0x00, 0x1a]],
  ['a constant of 64 bits', [0x42, 0xc0, 0xc0, 0x40, 0x1a]],
  ['a float of 32 bits', [0x43, 0x40, 0x00, 0x40, 0x00, 0x1a]],
  ['a float of 64 bits', [0x44, 0, 0, 0, 0, 0x40, 0x00, 0x40, 0x00, 0x1a]],
  ['the offset of a load', [0x41, 0x00, 0x28, 0x02, 0x40, 0x1a]],
  ['the targets of a branch', [0x02, 0x40, 0x41, 0x00, 0x0e, 0x01, 0x00, 0x00, 0x0b]],
  ['a fill', [0x41, 0x00, 0x41, 0x40, 0x41, 0x00, 0xfc, 0x0b, 0x00]],
  ['a truncation', [0x43, 0, 0, 0x40, 0x00, 0xfc, 0x00, 0x1a]],
  ['a condition', [...GET, 0x04, 0x40, 0x05, 0x0b]],
];

it.each(LOOKALIKES)('does not change %s', (_, instructions) => {
  const plain = moduleOf([...instructions, ...GET]);
  const growing = moduleOf([...instructions, ...GET, ...GROW]);
  // A block that is left at once by `unreachable` cannot be run.
  const isRunnable = instructions[2] !== 0x00 || instructions[0] !== 0x02;
  const changed = callOnGrowth(growing.slice(), 'grow');
  expect([...changed.keys()].filter((at) => changed[at] !== growing[at])).toEqual([
    growing.length - 3,
    growing.length - 2,
  ]);
  expect(() => callOnGrowth(plain, 'grow')).toThrow('never grows');
  if (isRunnable) expect(runOf(changed, 5)).toEqual({ result: 100, calls: [5] });
});

it.each([
  ['that is not there', [functionImport('other', 0)]],
  ['of another type', [functionImport('grow', 1)]],
])('refuses an import %s', (_, imports) => {
  expect(() => callOnGrowth(moduleOf([...GET, ...GROW], imports), 'grow')).toThrow(RangeError);
});

it('refuses an unknown instruction', () => {
  const vectors = [...GET, 0xfd, 0x0f, 0x1a, ...GET, ...GROW];
  expect(() => callOnGrowth(moduleOf(vectors), 'grow')).toThrow('unknown');
});

it('refuses a module without code', () => {
  expect(() => callOnGrowth(new Uint8Array(PREAMBLE), 'grow')).toThrow(RangeError);
});
