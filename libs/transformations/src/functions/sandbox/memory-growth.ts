import { instructionsOf } from './wasm-instructions';
import { readVarint, type Section, sectionsOf } from './wasm-reader';

const [TYPES, IMPORTS, CODE] = [1, 2, 10];
const FUNCTION_IMPORT = 0;
const CALL = 0x10;
const ONE_BYTE = 0x80;
/** The instruction `memory.grow` for the only memory. */
const GROW = Buffer.from([0x40, 0x00]);
/** A function type: one i32 in, one out. */
const NUMBER_TO_NUMBER = Buffer.from([0x60, 1, 0x7f, 1, 0x7f]);

/**
 * Replaces each `memory.grow` of a module with a call of an import, so that the host decides on each growth. Both
 * instructions have the same length: nothing else in the module moves.
 *
 * @param name of an imported function from i32 to i32 that the module does not need. It receives the number of pages,
 *   and returns what the instruction would.
 * @returns the module, changed in place.
 * @throws RangeError when there is no such import, or no growth.
 */
export const callOnGrowth = (
  module: Uint8Array<ArrayBuffer>,
  name: string,
): Uint8Array<ArrayBuffer> => {
  const sections = new Map(Array.from(sectionsOf(module), (section) => [section.id, section]));
  const [types, imports, code] = [TYPES, IMPORTS, CODE].map((id) => sections.get(id));
  if (!types || !imports || !code) throw new RangeError('the module has no imports or no code');
  const callee = functionImports(module, imports).findIndex((each) => each.name === name);
  const type = functionImports(module, imports)[callee]?.type ?? -1;
  if (callee >= ONE_BYTE || !typeAt(module, types, type).equals(NUMBER_TO_NUMBER))
    throw new RangeError(`the module has no import ${name} that could be called`);
  let calls = 0;
  for (const body of functionsThatMayGrow(module, code))
    for (const at of instructionsOf(body))
      if (GROW.equals(body.subarray(at, at + GROW.length))) {
        body.set([CALL, callee], at);
        calls += 1;
      }
  if (calls === 0) throw new RangeError('the module never grows');
  return module;
};

interface FunctionImport {
  readonly name: string;
  readonly type: number;
}

/** Lists imported functions in the order of their call indexes. Stops at the first import of another kind. */
const functionImports = (module: Uint8Array, { body }: Section): FunctionImport[] => {
  const { value: count, end: first } = readVarint(module, body);
  const found: FunctionImport[] = [];
  let at = first;
  for (let left = count; left > 0; left -= 1) {
    const from = readVarint(module, at);
    const name = readVarint(module, from.end + from.value);
    const kind = name.end + name.value;
    if (module[kind] !== FUNCTION_IMPORT) break;
    const type = readVarint(module, kind + 1);
    const text = Buffer.from(module.subarray(name.end, kind)).toString();
    found.push({ name: text, type: type.value });
    at = type.end;
  }
  return found;
};

/** Finds a function type: its form, the kinds of its parameters, and those of its results. */
const typeAt = (module: Uint8Array, { body, end }: Section, wanted: number): Buffer => {
  let { end: at } = readVarint(module, body);
  for (let index = 0; at < end; index += 1) {
    const parameters = readVarint(module, at + 1);
    const results = readVarint(module, parameters.end + parameters.value);
    const next = results.end + results.value;
    if (index === wanted) return Buffer.from(module.subarray(at, next));
    at = next;
  }
  return Buffer.alloc(0);
};

/** Yields views of the function bodies that contain the bytes of the instruction. */
function* functionsThatMayGrow(module: Uint8Array, { body }: Section): Generator<Uint8Array> {
  const bytes = Buffer.from(module.buffer, module.byteOffset, module.length);
  const { value: count, end: first } = readVarint(module, body);
  let at = first;
  for (let left = count; left > 0; left -= 1) {
    const { value: length, end: start } = readVarint(module, at);
    at = start + length;
    if (bytes.subarray(start, at).includes(GROW)) yield module.subarray(start, at);
  }
}
