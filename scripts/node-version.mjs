// Imported before everything else: an older Node fails later, with errors that do not name the cause.
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const numbers = (version) => version.match(/\d+/g).map(Number);
const [[major, minor], [least, leastMinor]] = [process.version, engines.node].map(numbers);

if (major < least || (major === least && minor < leastMinor)) {
  process.stderr.write(
    `Penstock needs Node ${engines.node.slice(2)} or later, this is ${process.version}: install a newer one from https://nodejs.org\n`,
  );
  process.exit(1);
}
