import Module, { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Script } from 'node:vm';
import type { PackedModule } from './pack';

/** How node loads the files of an extension: what it calls for each. */
type Loader = (module: NodeJS.Module, file: string) => void;

/** What node has and does not declare. */
interface LoadedModule extends NodeJS.Module {
  load(file: string): void;
}

/** Of the first line, before the text of the file. */
const BEFORE = Module.wrap('').indexOf('{') + 2;

/** Compiles what {@link Module.wrap} has made of a file, so that places in it are those in the file. */
export const scriptOf = (file: string, source: string, code?: Buffer): Script =>
  new Script(source, {
    filename: file,
    columnOffset: -BEFORE,
    ...(code && { cachedData: code }),
  });

/** Runs a module as node does, with a `require` of its own. */
export const execute = (script: Script, module: NodeJS.Module, own: NodeJS.Require): void => {
  const run = script.runInThisContext() as (...args: readonly unknown[]) => void;
  run.call(module.exports, module.exports, own, module, module.filename, dirname(module.filename));
};

/** What every `require` of a module has, as node makes it. */
const COMMON = {
  main: require.main,
  cache: require.cache,
  // What node offers is offered.
  // oxlint-disable-next-line typescript/no-deprecated
  extensions: require.extensions,
};

/** Makes the `require` of a module. @param load does the work. */
export const requireOf = (
  module: NodeJS.Module,
  load: (request: string) => unknown,
): NodeJS.Require => {
  const resolve = (request: string, options?: { paths?: string[] | undefined }): string =>
    createRequire(module.filename).resolve(request, options);
  resolve.paths = (request: string): string[] | null =>
    createRequire(module.filename).resolve.paths(request);
  return Object.assign(load, COMMON, { resolve });
};

/**
 * Loads modules from a pack from now on. Paths, errors and what one can ask node for are those of the files; these are
 * neither looked for nor read, and little of them is compiled.
 *
 * @returns a function that ends it, after which modules come from their files.
 */
export const loadFromPack = (pack: readonly PackedModule[]): (() => void) => {
  const packed = new Map(pack.map((each) => [each.file, each]));
  const files = pack.map(({ file }) => file);
  const loaded = require.cache;
  // Node asks nowhere else how a file is loaded.
  // oxlint-disable-next-line typescript/no-deprecated
  const extensions = require.extensions as unknown as Record<'.js', Loader>;
  const { '.js': fromFile } = extensions;

  const load = (file: string, parent: NodeJS.Module): unknown => {
    const known = loaded[file];
    if (known) return known.exports;
    const module = new Module(file, parent) as LoadedModule;
    loaded[file] = module;
    try {
      module.load(file);
    } catch (error) {
      // As node does: whoever asks again gets the error again.
      Reflect.deleteProperty(loaded, file);
      throw error;
    }
    return module.exports;
  };

  extensions['.js'] = (module, file) => {
    const found = packed.get(file);
    if (found === undefined) {
      fromFile(module, file);
      return;
    }
    packed.delete(file);
    const { imports, source, code } = found;
    const own = requireOf(module, (request) => {
      const place = imports.indexOf(request) + 1;
      return place === 0
        ? (module.require(request) as unknown)
        : load(files[imports[place] as number] as string, module);
    });
    execute(scriptOf(file, source, code), module, own);
  };
  return () => packed.clear();
};
