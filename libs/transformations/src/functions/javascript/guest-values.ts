import { JSException, JSValueHandle, type QuickJS } from 'quickjs-wasi';
import { WrittenResults } from './written-result';

/** Exports of the engine's C interface that its wrapper does not cover. Values are 64 bits wide. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  wasm_malloc(size: number): number;
  wasm_free(pointer: number): void;
  qjs_get_context_ptr(): number;
  qjs_get_exception(): number;
  qjs_free_value(value: number): void;
  qjs_is_exception(value: number): number;
  JS_AtomToCStringLen(context: number, size: number, atom: number): number;
  JS_FreeCString(context: number, text: number): void;
  js_free(context: number, pointer: number): void;
  JS_ParseJSON(context: number, text: number, length: number, file: number): bigint;
  JS_WriteObject(context: number, size: number, value: bigint, flags: number): number;
}

const WITHOUT_CODE = 0;
const VALUE_BYTES = 8;
const SIZE_BYTES = 4;

/** Moves values into and out of the guest with the engine's own functions: no guest code is involved. */
export class GuestValues {
  private readonly exports: Exports;
  private readonly context: number;
  /** Address at which the engine stores the number of bytes it has written. */
  private readonly size: number;
  private readonly noFile: number;
  private readonly names = new Map<number, string>();
  private readonly results = new WrittenResults((atom) => this.nameOf(atom));

  constructor(
    private readonly vm: QuickJS,
    private readonly maxBytes: number,
  ) {
    this.exports = vm._getExports() as unknown as Exports;
    this.context = this.exports.qjs_get_context_ptr();
    this.size = this.exports.wasm_malloc(SIZE_BYTES);
    this.noFile = this.exports.wasm_malloc(1);
    this.view().setUint8(this.noFile, 0);
  }

  /**
   * Parses JSON into a value of the guest.
   *
   * @param json UTF-8.
   * @returns the value, to be disposed of; undefined when there is no memory for the text.
   * @throws JSException, as JSON.parse does.
   */
  parse(json: Uint8Array): JSValueHandle | undefined {
    const { exports, context, noFile } = this;
    const text = exports.wasm_malloc(json.length + 1);
    const cell = text && exports.wasm_malloc(VALUE_BYTES);
    if (cell === 0) return undefined;
    const bytes = new Uint8Array(exports.memory.buffer);
    bytes.set(json, text);
    bytes[text + json.length] = 0;
    const value = exports.JS_ParseJSON(context, text, json.length, noFile);
    exports.wasm_free(text);
    this.view().setBigInt64(cell, value, true);
    const parsed = new JSValueHandle(this.vm, cell);
    if (exports.qjs_is_exception(cell) === 0) return parsed;
    parsed.dispose();
    throw new JSException(new JSValueHandle(this.vm, exports.qjs_get_exception()));
  }

  /** @returns the JSON text of a value; undefined when it cannot be written in this way, or is too large. */
  textOf(value: JSValueHandle): string | undefined {
    const { exports, context, size } = this;
    const raw = this.view().getBigInt64(value.ptr, true);
    const start = exports.JS_WriteObject(context, size, raw, WITHOUT_CODE);
    if (start === 0) {
      exports.qjs_free_value(exports.qjs_get_exception());
      return undefined;
    }
    const bytes = this.copy(start);
    exports.js_free(context, start);
    return bytes && this.results.textOf(bytes);
  }

  private view(): DataView {
    return new DataView(this.exports.memory.buffer);
  }

  private copy(start: number): Buffer | undefined {
    const { buffer } = this.exports.memory;
    const length = new DataView(buffer).getUint32(this.size, true);
    return length > this.maxBytes ? undefined : Buffer.from(Buffer.from(buffer, start, length));
  }

  private nameOf(atom: number): string {
    const { exports, context, size } = this;
    const known = this.names.get(atom);
    if (known !== undefined) return known;
    const start = exports.JS_AtomToCStringLen(context, size, atom);
    const name = this.copy(start)?.toString() ?? '';
    exports.JS_FreeCString(context, start);
    this.names.set(atom, name);
    return name;
  }
}
