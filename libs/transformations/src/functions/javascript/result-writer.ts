import type { JSValueHandle, QuickJS } from 'quickjs-wasi';
import { textOfWritten } from './written-result';

/** Exports of the engine's C interface that its wrapper has no method for. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  wasm_malloc(size: number): number;
  qjs_get_context_ptr(): number;
  qjs_get_exception(): number;
  qjs_free_value(value: number): void;
  JS_AtomToCStringLen(context: number, size: number, atom: number): number;
  JS_FreeCString(context: number, text: number): void;
  js_free(context: number, pointer: number): void;
  JS_WriteObject(context: number, size: number, value: bigint, flags: number): number;
}

const WITHOUT_CODE = 0;

/** Takes values out of the guest by the engine's own serialisation: no code of the guest writes them. */
export class ResultWriter {
  private readonly exports: Exports;
  private readonly context: number;
  /** Where the engine tells how many bytes it wrote. */
  private readonly size: number;
  private readonly names = new Map<number, string>();

  constructor(
    vm: QuickJS,
    private readonly maxBytes: number,
  ) {
    this.exports = vm._getExports() as unknown as Exports;
    this.context = this.exports.qjs_get_context_ptr();
    this.size = this.exports.wasm_malloc(4);
  }

  /** @returns the JSON text of a value; undefined for one that cannot be written so, or is too large. */
  textOf(value: JSValueHandle): string | undefined {
    const { exports, context, size } = this;
    const raw = new DataView(exports.memory.buffer).getBigInt64(value.ptr, true);
    const start = exports.JS_WriteObject(context, size, raw, WITHOUT_CODE);
    if (start === 0) {
      exports.qjs_free_value(exports.qjs_get_exception());
      return undefined;
    }
    const bytes = this.copy(start);
    exports.js_free(context, start);
    return bytes && textOfWritten(bytes, (atom) => this.nameOf(atom));
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
