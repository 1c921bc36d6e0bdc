import { type ExtensionDescriptor, JSException, type JSValueHandle, QuickJS } from 'quickjs-wasi';
import type { Allowance } from '../guest/allowance';
import { type Engine, OutOfMemory } from '../guest/engine';
import { MAX_RESULT_LENGTH } from '../guest/result-limit';
import { sleep } from '../guest/sleep';
import { ANSWER_LETTERS, type Program, type Refusal } from '../wire/messages';
import { EXTRAS } from './extras';
import { GuestValues } from './guest-values';
import { PRELUDE } from './prelude';

/** Deeper recursion of native frames has broken instances. */
const MAX_STACK_BYTES = 256 * 1024;
/** Memory that the engine's own limit leaves free, so that it can report that memory has run out. */
const RESERVE_BYTES = 4 * 1024 * 1024;
const TOO_LARGE = `${ANSWER_LETTERS.error}Error: the result is too large`;
const FILE = 'transform';

export interface JavaScriptModules {
  readonly engine: WebAssembly.Module;
  readonly extensions: readonly { readonly name: string; readonly module: WebAssembly.Module }[];
}

/** Imported function that replaces `memory.grow`. The engine opens no files, so it does not need the original. */
export const JAVASCRIPT_GROWTH = 'fd_close';

/**
 * Returns the actual memory. The wrapper passes a stand-in that reads properties from the memory, so that this getter
 * runs with the memory itself as `this`.
 */
const MEMORY = Symbol('memory');
Object.defineProperty(WebAssembly.Memory.prototype, MEMORY, {
  get(this: WebAssembly.Memory) {
    return this;
  },
});
const memoryOf = (standIn: object): WebAssembly.Memory =>
  (standIn as { readonly [MEMORY]: WebAssembly.Memory })[MEMORY];

/** Discards output of the engine itself. */
const systemCalls = (allowance: Allowance) => (memory: object) => ({
  fd_write: () => 8,
  [JAVASCRIPT_GROWTH]: (pages: number) => allowance.grow(memoryOf(memory), pages),
});

/** QuickJS in WebAssembly. The guest cannot call host functions: it only returns values. */
export class JavaScriptEngine implements Engine {
  private readonly values: GuestValues;

  private constructor(
    private readonly vm: QuickJS,
    private readonly prelude: JSValueHandle,
    private readonly functions: ReadonlyMap<string, JSValueHandle>,
  ) {
    this.values = new GuestValues(vm, MAX_RESULT_LENGTH);
  }

  static async start(
    modules: JavaScriptModules,
    memoryBytes: number,
    allowance: Allowance,
  ): Promise<JavaScriptEngine> {
    const extensions: ExtensionDescriptor[] = modules.extensions.map(({ name, module }) => ({
      name,
      wasm: module,
    }));
    const vm = await QuickJS.create({
      wasm: modules.engine,
      wasi: systemCalls(allowance),
      extensions,
      memoryLimit: memoryBytes - RESERVE_BYTES,
      maxStackSize: MAX_STACK_BYTES,
      timezoneOffset: 0,
    });
    vm.evalCode(EXTRAS).dispose();
    const prelude = vm.evalCode(PRELUDE);
    const names = ['install', 'describe', 'run', 'failed', 'poll', 'encodeResult', 'written'];
    const functions = new Map(names.map((name) => [name, prelude.getProp(name)]));
    return new JavaScriptEngine(vm, prelude, functions);
  }

  load({ source, plan }: Program): Refusal | undefined {
    try {
      this.vm.evalCode(source, FILE).dispose();
      const transform = this.vm.evalCode("typeof transform === 'function' ? transform : undefined");
      if (!transform.isFunction) return refusalOf('ReferenceError: transform is not defined');
      const text = this.vm.newString(JSON.stringify(plan));
      this.invoke('install', text, transform);
      text.dispose();
      return undefined;
    } catch (error) {
      if (!(error instanceof JSException)) throw error;
      return this.refusal(error);
    }
  }

  call(record: Uint8Array): string {
    let answer = this.textOfAnswer(this.run(record));
    for (;;) {
      switch (answer[0]) {
        case ANSWER_LETTERS.result:
        case ANSWER_LETTERS.error:
          return answer;
        case 'M':
          throw new OutOfMemory();
        case 'H':
          sleep();
          break;
        default: {
          const ms = Number(answer.slice(1));
          if (ms > 0) sleep(ms);
        }
      }
      this.vm.executePendingJobs();
      answer = this.textOfAnswer(this.invoke('poll'));
    }
  }

  takeConsole(): string {
    return this.textOf(this.invoke('written'));
  }

  private run(record: Uint8Array): JSValueHandle {
    try {
      const value = this.values.parse(record);
      if (!value) throw new OutOfMemory();
      return value.consume((given) => this.invoke('run', given));
    } catch (error) {
      if (!(error instanceof JSException)) throw error;
      return error.handle.consume((thrown) => this.failed(thrown));
    }
  }

  /** Converts a thrown value into an answer. The engine throws null when not even an error fits into its memory. */
  private failed(thrown: JSValueHandle): JSValueHandle {
    if (thrown.isNull) throw new OutOfMemory();
    return this.invoke('failed', thrown);
  }

  private refusal(error: JSException): Refusal {
    if (error.name === 'InternalError' && error.message === 'out of memory')
      throw new OutOfMemory();
    const text = this.textOf(this.invoke('describe', error.handle)).slice(1);
    const [, line, column] = / \(line (\d+), column (\d+)\)$/.exec(text) ?? [];
    return refusalOf(text, Number(line ?? 0), Number(column ?? 0));
  }

  /** Returns the answer text: the prelude's, or the written result of the function. */
  private textOfAnswer(handle: JSValueHandle): string {
    if (handle.isString) return this.textOf(handle);
    const text = this.values.textOf(handle);
    const answer =
      text === undefined
        ? this.textOf(this.invoke('encodeResult', handle))
        : withinLimit(ANSWER_LETTERS.result + text);
    handle.dispose();
    return answer;
  }

  /** Copies a text of the prelude, unless it is too long. */
  private textOf(answer: JSValueHandle): string {
    try {
      if (!answer.isString) throw new TypeError('the prelude gives texts only');
      const length = answer.getProp('length').consume((handle) => handle.toNumber());
      return length > MAX_RESULT_LENGTH ? TOO_LARGE : answer.toString();
    } finally {
      answer.dispose();
    }
  }

  private invoke(name: string, ...values: JSValueHandle[]): JSValueHandle {
    const callee = this.functions.get(name);
    if (!callee) throw new TypeError(`the prelude lacks ${name}`);
    return this.vm.callFunction(callee, this.prelude, ...values);
  }
}

const withinLimit = (answer: string): string =>
  answer.length > MAX_RESULT_LENGTH ? TOO_LARGE : answer;

const refusalOf = (text: string, line = 0, column = 0): Refusal => ({ text, line, column });
