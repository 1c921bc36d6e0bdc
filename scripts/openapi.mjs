import { join } from 'node:path';
import { build, install, ROOT, run } from './install.mjs';

// Writes the API's document, which the gateway's code makes, and the client's types, which the document makes.

install();
build();
run(process.execPath, [join(ROOT, 'services', 'api-gateway', 'dist', 'openapi', 'write-main.js')]);
run(process.execPath, [
  join(ROOT, 'node_modules', 'openapi-typescript', 'bin', 'cli.js'),
  join(ROOT, 'services', 'api-gateway', 'openapi.json'),
  '--output',
  join(ROOT, 'libs', 'client', 'src', 'api-types.ts'),
]);
