/** The process that lends servers to specs: it prints its URL, and ends when its standard input does. */
require('./sources.cjs');

const { lendServers } = require('../src/lend-servers.ts');

void lendServers(process.stdin).then((url) => console.log(url));
