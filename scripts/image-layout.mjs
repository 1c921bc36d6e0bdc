import { resolve } from 'node:path';
import { build, install, ROOT } from './install.mjs';
import { layOut } from './lay-out.mjs';

/** `npm run image:layout -- DIR` lays out the folder that the image consists of, without Docker. */
const [folder, ...more] = process.argv.slice(2);
if (folder === undefined || more.length > 0) {
  process.stderr.write('usage: npm run image:layout -- DIR\n');
  process.exit(2);
}
install();
build();
try {
  await layOut(ROOT, resolve(folder));
} catch (error) {
  process.stderr.write(`image:layout: ${error.message}\n`);
  process.exit(1);
}
