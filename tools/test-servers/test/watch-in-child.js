/** Runs the watchdog in a child process, which the spec kills. Usage: node watch-in-child.js <pid> <folder>. */
const { transformFileSync } = require('@swc/core');
const { join } = require('node:path');

require.extensions['.ts'] = (module, file) => {
  const { code } = transformFileSync(file, { configFile: join(__dirname, '../../../.swcrc') });
  module._compile(code, file);
};

const { watchOver } = require('../src/watchdog.ts');

watchOver(Number(process.argv[2]), process.argv[3]);
console.log('watching');
setInterval(() => undefined, 1_000);
