import { readVarint } from './wasm-reader';

/** Operands that follow the opcode of an instruction. */
type Immediates = 'none' | 'byte' | 'number' | 'two numbers' | 'numbers' | 4 | 8;

type Range = readonly [first: number, last: number, immediates: Immediates];

/** Source: WebAssembly Core Specification, 5.4 Instructions (without vectors). */
const PLAIN: readonly Range[] = [
  [0x00, 0x01, 'none'], // unreachable, nop
  [0x02, 0x04, 'number'], // block, loop, if
  [0x05, 0x05, 'none'], // else
  [0x0b, 0x0b, 'none'], // end
  [0x0c, 0x0d, 'number'], // br, br_if
  [0x0e, 0x0e, 'numbers'], // br_table
  [0x0f, 0x0f, 'none'], // return
  [0x10, 0x10, 'number'], // call
  [0x11, 0x11, 'two numbers'], // call_indirect
  [0x12, 0x12, 'number'], // return_call
  [0x13, 0x13, 'two numbers'], // return_call_indirect
  [0x1a, 0x1b, 'none'], // drop, select
  [0x20, 0x26, 'number'], // local, global, table
  [0x28, 0x3e, 'two numbers'], // loads and stores
  [0x3f, 0x40, 'byte'], // memory.size, memory.grow
  [0x41, 0x42, 'number'], // i32.const, i64.const
  [0x43, 0x43, 4], // f32.const
  [0x44, 0x44, 8], // f64.const
  [0x45, 0xc4, 'none'], // numeric
  [0xd0, 0xd0, 'number'], // ref.null
  [0xd1, 0xd1, 'none'], // ref.is_null
  [0xd2, 0xd2, 'number'], // ref.func
];

const PREFIX = 0xfc;
const PREFIXED: readonly Range[] = [
  [0, 7, 'none'], // saturating truncation
  [8, 8, 'two numbers'], // memory.init
  [9, 9, 'number'], // data.drop
  [10, 10, 'two numbers'], // memory.copy
  [11, 11, 'number'], // memory.fill
  [12, 12, 'two numbers'], // table.init
  [13, 13, 'number'], // elem.drop
  [14, 14, 'two numbers'], // table.copy
  [15, 17, 'number'], // table.grow, size, fill
];

const immediatesOf = (code: number, table: readonly Range[]): Immediates => {
  const range = table.find(([first, last]) => code >= first && code <= last);
  if (range === undefined) throw new RangeError(`an instruction ${code.toString(16)} is unknown`);
  return range[2];
};

const skipNumbers = (code: Uint8Array, at: number, count: number): number => {
  let end = at;
  for (let left = count; left > 0; left -= 1) ({ end } = readVarint(code, end));
  return end;
};

const skip = (code: Uint8Array, at: number, immediates: Immediates): number => {
  switch (immediates) {
    case 'none':
      return at;
    case 'byte':
      return at + 1;
    case 'number':
      return skipNumbers(code, at, 1);
    case 'two numbers':
      return skipNumbers(code, at, 2);
    case 'numbers': {
      const { value: count, end } = readVarint(code, at);
      return skipNumbers(code, end, count + 1);
    }
    default:
      return at + immediates;
  }
};

/**
 * Yields the offset of each instruction of a function.
 *
 * @param code its body: the local variables, then the instructions.
 * @throws RangeError for an unknown instruction.
 */
export function* instructionsOf(code: Uint8Array): Generator<number> {
  const { value: locals, end: first } = readVarint(code, 0);
  for (let at = skipNumbers(code, first, 2 * locals); at < code.length;) {
    yield at;
    const byte = code[at] ?? 0;
    const { value: second, end: behind } = readVarint(code, at + 1);
    at =
      byte === PREFIX
        ? skip(code, behind, immediatesOf(second, PREFIXED))
        : skip(code, at + 1, immediatesOf(byte, PLAIN));
  }
}
