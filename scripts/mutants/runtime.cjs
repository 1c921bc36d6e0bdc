const { join } = require('node:path');
const { createTransformer } = require('@swc/jest');
const { default: Runtime } = require('../../jest.runtime.js');
const { replaced, ROOT } = require('./lists.cjs');
const { present } = require('./present.cjs');

const swc = createTransformer();

/** Compiles the file of the mutant with the mutant in it; all others are compiled as always. */
class MutantRuntime extends Runtime {
  constructor(config, environment, resolver, transformer, ...others) {
    const { mutant } = present;
    if (mutant !== undefined) {
      const broken = join(ROOT, mutant.file);
      const transform = transformer.transform.bind(transformer);
      transformer.transform = (path, options, source) => {
        if (path !== broken) return transform(path, options, source);
        const { code } = swc.process(replaced(source, mutant), path, { config });
        return { code, originalCode: source, sourceMapPath: null };
      };
    }
    super(config, environment, resolver, transformer, ...others);
  }
}

module.exports = { __esModule: true, default: MutantRuntime };
