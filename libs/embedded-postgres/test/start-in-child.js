/**
 * Starts an embedded server in a process of its own, for specs that kill it or run it under another system.
 * Usage: node start-in-child.js <data folder>. Prints one line of JSON; stops on SIGTERM.
 */
const { transformFileSync } = require('@swc/core');
const { join } = require('node:path');

require.extensions['.ts'] = (module, file) => {
  const { code } = transformFileSync(file, { configFile: join(__dirname, '../../../.swcrc') });
  module._compile(code, file);
};

const { startEmbeddedPostgres } = require('../src/index.ts');

const notices = [];
const stay = setInterval(() => undefined, 1_000);

startEmbeddedPostgres({ dataDir: process.argv[2], notice: (text) => notices.push(text) }).then(
  ({ stop, ...server }) => {
    process.once('SIGTERM', () => stop().finally(() => clearInterval(stay)));
    console.log(JSON.stringify({ ...server, notices }));
  },
  ({ code, message }) => {
    console.log(JSON.stringify({ code, message }));
    clearInterval(stay);
  },
);
