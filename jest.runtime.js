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
vm.compileFunction = (source, parameters, options) => {
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

/**
 * Each spec file has contexts of its own, one of them jest's. A context that was used once costs time with each promise of
 * the process from then on, so that the hundredth file of a worker would be many times slower than its first.
 */
class LeavesNoContexts extends Runtime {
  teardown() {
    for (const context of contexts) context.disable();
    contexts.clear();
    super.teardown();
  }
}

module.exports = { __esModule: true, default: LeavesNoContexts };
