/** Runs the watchdog in a child process, which the spec kills. Usage: node watch-in-child.js <pid> <folder>. */
require('./sources.cjs');

const { watchOver } = require('../src/watchdog.ts');

watchOver(Number(process.argv[2]), process.argv[3]);
console.log('watching');
setInterval(() => undefined, 1_000);
