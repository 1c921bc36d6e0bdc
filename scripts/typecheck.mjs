import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from './install.mjs';

/** `node scripts/typecheck.mjs PROJECT` checks the types of one project, which is named by its folder. */
const [project = ''] = process.argv.slice(2);
const folder = join(ROOT, '.cache', 'types');
const name = project.replaceAll('/', '-');
const config = join(folder, `${name}.json`);
mkdirSync(folder, { recursive: true });
writeFileSync(
  config,
  JSON.stringify({ extends: '../../tsconfig.json', include: [`../../${project}/src`] }),
);
run(process.execPath, [
  join(ROOT, 'node_modules', 'typescript-native', 'bin', 'tsc'),
  '-p',
  config,
  '--incremental',
  '--tsBuildInfoFile',
  join(folder, `${name}.tsbuildinfo`),
]);
