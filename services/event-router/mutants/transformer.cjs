const { createHash } = require('node:crypto');
const { createTransformer } = require('@swc/jest');
const { replaced } = require('./replaced.cjs');

const swc = createTransformer();

/** What swc makes of a file that no mutant changes: the same for all mutants that one of jest's workers tries. */
const made = new Map();

/** Compiles as the other specs are compiled, with the text of one mutant in place of what it replaces. */
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
