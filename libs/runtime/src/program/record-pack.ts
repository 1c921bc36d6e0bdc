import { existsSync, readdirSync, readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import type { Script } from 'node:vm';
import { type Origin, PACK_NAME, type PackedModule, writePack } from './pack';
import { execute, requireOf, scriptOf } from './packed-modules';

/** What node calls for each file, and for each request. */
interface Hooks {
  _resolveFilename(request: string, parent?: NodeJS.Module, ...more: unknown[]): string;
  readonly prototype: {
    _compile(this: NodeJS.Module, text: string, file: string, format?: string): unknown;
  };
}

interface Recorded {
  readonly source: string;
  readonly script: Script;
  /** What it has asked for. */
  readonly requests: Set<string>;
}

/** What may import ECMAScript modules: node finds out for whom only where it has loaded the file itself. */
const IMPORTS = /\bimport\s*\(/;

/** Compiles what is no ECMAScript module. */
const compiled = (text: string, file: string, format?: string): Recorded | undefined => {
  if (format === 'module' || text.startsWith('#!') || IMPORTS.test(text)) return undefined;
  const source = Module.wrap(text);
  try {
    return { source, script: scriptOf(file, source), requests: new Set() };
  } catch {
    return undefined;
  }
};

/** What was loaded since the recording began. */
interface Recording {
  files(): readonly string[];
  /** With what V8 has made of each so far. */
  modules(): readonly PackedModule[];
}

/** Records from now on what is loaded. */
const recordModules = (): Recording => {
  const scripts = new Map<string, Recorded>();
  /** What was found, by the folder of who has asked and the request: node asks once for each. */
  const found = new Map<string, string>();
  const keyOf = (file: string, request: string): string => `${dirname(file)}\0${request}`;
  const hooks = Module as unknown as Hooks;
  const { _resolveFilename: resolve } = hooks;
  const { _compile: compile } = hooks.prototype;
  hooks._resolveFilename = (request, parent, ...more) => {
    const file = resolve.call(hooks, request, parent, ...more);
    if (parent) found.set(keyOf(parent.filename, request), file);
    return file;
  };
  hooks.prototype._compile = function (text, file, format) {
    const recorded = compiled(text, file, format);
    if (!recorded) return compile.call(this, text, file, format);
    scripts.set(file, recorded);
    const own = requireOf(this, (request) => {
      recorded.requests.add(request);
      return this.require(request) as unknown;
    });
    execute(recorded.script, this, own);
    return undefined;
  };
  return {
    files: () => [...scripts.keys()],
    modules: () => {
      const places = new Map([...scripts.keys()].map((file, place) => [file, place]));
      return [...scripts].map(([file, { source, script, requests }]) => ({
        file,
        source,
        code: script.createCachedData(),
        imports: [...requests].flatMap((request) => {
          const place = places.get(found.get(keyOf(file, request)) ?? '');
          return place === undefined ? [] : [request, place];
        }),
      }));
    },
  };
};

/** What services load when they start, and only then: nothing imports it before it is used. */
const LATER = ['./kafka/kafka-message-log', 'kafkajs', 'undici'];

const isOwn = (file: string): boolean => !file.includes(`${sep}node_modules${sep}`);

/** Texts that change when something that is packed does: stamps of compiled projects, and of the installed packages. */
const originOf = (root: string, modules: readonly PackedModule[]): Origin => {
  const projects = new Set(
    modules
      .map(({ file }) => file)
      .filter(isOwn)
      .map((file) => file.slice(0, file.lastIndexOf(`${sep}dist${sep}`))),
  );
  const files = [
    join(root, 'node_modules', '.penstock-installed'),
    join(root, 'scripts', 'node-flags.mjs'),
    ...[...projects].sort().map((project) => join(project, 'dist', '.stamp')),
  ];
  return Object.fromEntries(
    files.filter(existsSync).map((file) => [relative(root, file), readFileSync(file, 'utf8')]),
  );
};

/**
 * Packs the modules of the programs in a folder. Programs are loaded and not run: what one of them runs is in
 * `run-<name>.js`.
 *
 * @param root of the checkout, or of what is laid out in its place.
 */
export const recordPack = (root: string, folder: string): void => {
  const recorded = recordModules();
  const load = createRequire(join(folder, PACK_NAME));
  for (const name of readdirSync(folder).sort())
    if (/^run-.*\.js$/.test(name)) load(join(folder, name));
  for (const file of recorded.files().filter(isOwn)) {
    const text = readFileSync(file, 'utf8');
    for (const request of LATER)
      if (text.includes(`require("${request}")`)) createRequire(file)(request);
  }
  const modules = recorded.modules();
  writePack(join(folder, PACK_NAME), root, originOf(root, modules), modules);
};
