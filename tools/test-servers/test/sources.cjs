/** Lets a plain process of node load the TypeScript of this repository, and our packages from their sources. */
const { transformFileSync } = require('@swc/core');
const { existsSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');

const ROOT = join(__dirname, '../../..');

require.extensions['.ts'] = (module, file) => {
  const { code } = transformFileSync(file, { configFile: join(ROOT, '.swcrc'), sourceMaps: false });
  module._compile(code, file);
};

const resolve = Module._resolveFilename;
Module._resolveFilename = (request, ...rest) => {
  const [, name] = /^@penstock\/([a-z0-9-]+)$/.exec(request) ?? [];
  const sources = ['libs', 'tools'].map((folder) => join(ROOT, folder, name ?? '', 'src/index.ts'));
  const source = name && sources.find((path) => existsSync(path));
  return resolve.call(Module, source || request, ...rest);
};
