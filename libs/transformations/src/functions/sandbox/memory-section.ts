import { readVarint, type Section, sectionsOf } from './wasm-reader';

const MEMORY_SECTION = 5;
const PAGE_BYTES = 65_536;

const varint = (value: number): number[] =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(Math.floor(value / 0x80))];

/**
 * Limits the memory of a WebAssembly module: the engine itself refuses growth beyond, whatever the code inside does.
 *
 * Source: WebAssembly Core Specification, 5.5.8 Memory Section.
 *
 * @throws RangeError when the module starts with more memory than that, or has none of its own.
 */
export const limitMemory = (module: Uint8Array, maxBytes: number): Uint8Array<ArrayBuffer> => {
  for (const section of sectionsOf(module))
    if (section.id === MEMORY_SECTION) return replaced(module, section, maxBytes);
  throw new RangeError('the module has no memory of its own');
};

/** Rewrites the section of exactly one memory: count, flags, minimal and maximal number of pages. */
const replaced = (
  module: Uint8Array,
  { start, body, end }: Section,
  maxBytes: number,
): Uint8Array<ArrayBuffer> => {
  const { value: leastPages } = readVarint(module, body + 2);
  const mostPages = Math.floor(maxBytes / PAGE_BYTES);
  if (leastPages > mostPages)
    throw new RangeError(`the module needs ${leastPages * PAGE_BYTES} bytes`);
  const content = [1, 1, ...varint(leastPages), ...varint(mostPages)];
  const section = [MEMORY_SECTION, ...varint(content.length), ...content];
  const result = new Uint8Array(start + section.length + module.length - end);
  result.set(module.subarray(0, start));
  result.set(section, start);
  result.set(module.subarray(end), start + section.length);
  return result;
};
