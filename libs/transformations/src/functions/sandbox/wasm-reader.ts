const PREAMBLE_BYTES = 8;

/** A section of a WebAssembly module: offsets of its beginning, its content and its end. */
export interface Section {
  readonly id: number;
  readonly start: number;
  readonly body: number;
  readonly end: number;
}

/** Reads an unsigned number (LEB128) and the offset of its end. */
export const readVarint = (bytes: Uint8Array, at: number): { value: number; end: number } => {
  let value = 0;
  for (let shift = 0, end = at; ; shift += 7) {
    const byte = bytes[end++] ?? 0;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { value, end };
  }
};

/**
 * Yields the sections of a module, in order.
 *
 * Source: WebAssembly Core Specification, 5.5.2 Sections.
 */
export function* sectionsOf(module: Uint8Array): Generator<Section> {
  for (let at = PREAMBLE_BYTES; at < module.length;) {
    const { value: size, end: body } = readVarint(module, at + 1);
    yield { id: module[at] ?? 0, start: at, body, end: body + size };
    at = body + size;
  }
}
