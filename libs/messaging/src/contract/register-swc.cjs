const { transformFileSync } = require('@swc/core');

/** Lets a plain `node -r` process require TypeScript: the crash test runs its consumer in one. */
require.extensions['.ts'] = (module, filename) => {
  module._compile(transformFileSync(filename).code, filename);
};
