const { transformFileSync } = require('@swc/core');

/** Lets a plain `node -r` process require TypeScript: tests run the sandbox from its sources. */
require.extensions['.ts'] = (module, filename) => {
  module._compile(transformFileSync(filename).code, filename);
};
