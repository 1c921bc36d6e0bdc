const { createHash } = require('node:crypto');
const { createTransformer } = require('@swc/jest');
const { replaced } = require('./replaced.cjs');

const swc = createTransformer();

/** Compiled files without a mutant: a cache that all mutants in one of jest's workers share. */
const made = new Map();

/** Compiles like the transformer of the other specs, after applying one mutant to its file. */
module.exports = {
  canInstrument: false,

  getCacheKey: (text, path, options) =>
    createHash('sha1')
      .update(JSON.stringify([path, text, options.transformerConfig.mutant]))
      .update(swc.getCacheKey(text, path, { ...options, transformerConfig: {} }))
      .digest('hex'),

  process(text, path, options) {
    const { mutant } = options.transformerConfig;
    const plain = { ...options, transformerConfig: {} };
    if (path.endsWith(`/${mutant.file}`)) return swc.process(replaced(text, mutant), path, plain);
    const known = made.get(path);
    if (known?.text === text) return known.result;
    const result = swc.process(text, path, plain);
    made.set(path, { text, result });
    return result;
  },
};
