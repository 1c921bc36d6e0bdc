const { AsyncLocalStorage } = require('node:async_hooks');
const vm = require('node:vm');
const { default: Runtime } = require('jest-runtime');

/** What V8 keeps of a module that this process has compiled, by its path. */
const compiled = new Map();
const { compileFunction } = vm;

/**
 * Each spec file has modules of its own, so that jest compiles each module once more for each: a quarter of the time of unit
 * specs. What was compiled for a file before is taken from memory instead.
 */
// Without a context of `node:vm`: see jest.environment.js.
vm.compileFunction = (source, parameters, { parsingContext: _, ...options }) => {
  const signature = parameters.join();
  const known = compiled.get(options.filename);
  if (known?.source === source && known.signature === signature)
    return compileFunction(source, parameters, { ...options, cachedData: known.cachedData });
  const made = compileFunction(source, parameters, { ...options, produceCachedData: true });
  compiled.set(options.filename, { source, signature, cachedData: made.cachedData });
  return made;
};

/** The contexts (AsyncLocalStorage) that the present spec file has used. */
const contexts = new Set();

for (const method of ['run', 'enterWith']) {
  const own = AsyncLocalStorage.prototype[method];
  AsyncLocalStorage.prototype[method] = function (...args) {
    contexts.add(this);
    return own.apply(this, args);
  };
}

/** What random tests begin with: the same in each run, and another in each long one. */
const seed = Number(
  process.env.PENSTOCK_TEST_SEED ??
    (process.env.PENSTOCK_TEST_LONG === '1' ? Date.now() % 2 ** 31 : 1),
);
let isSeeded = false;

/** Loads a package of npm as Node does. */
const loadPackage = (moduleName, path) => {
  const loaded = require(path);
  if (moduleName === 'fast-check' && !isSeeded) {
    isSeeded = true;
    loaded.configureGlobal({ seed });
    process.stdout.write(`PENSTOCK_TEST_SEED=${seed} repeats the random tests of this run\n`);
  }
  return loaded;
};

const PACKAGES = /[\\/]node_modules[\\/]/;

class SpecRuntime extends Runtime {
  constructor(config, ...rest) {
    super(config, ...rest);
    this.notCompiled = config.transformIgnorePatterns.map((pattern) => new RegExp(pattern));
  }

  /**
   * Loads packages of npm as Node does, once for all spec files of a worker: they are most of the modules of a service.
   * Our own code, and packages that jest has to compile, are loaded for each spec file.
   */
  requireModule(from, moduleName, options, isRequireActual) {
    if (moduleName && !options?.isInternalModule && !this._resolution.isCoreModule(moduleName)) {
      const path = this._resolution.resolveCjs(from, moduleName);
      if (PACKAGES.test(path) && this.notCompiled.some((pattern) => pattern.test(path)))
        return loadPackage(moduleName, path);
    }
    return super.requireModule(from, moduleName, options, isRequireActual);
  }

  /**
   * Each spec file has contexts of its own, one of them jest's. A context that was used once costs time with each promise of
   * the process from then on, so that the hundredth file of a worker would be many times slower than its first.
   */
  teardown() {
    for (const context of contexts) context.disable();
    contexts.clear();
    super.teardown();
  }
}

module.exports = { __esModule: true, default: SpecRuntime };
