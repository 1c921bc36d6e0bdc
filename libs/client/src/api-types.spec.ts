import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const SCRIPTS = join(__dirname, '..', '..', '..', 'scripts');

it('is committed as generated from the OpenAPI document', () => {
  const printed = execFileSync(process.execPath, [join(SCRIPTS, 'api-types.mjs')], {
    encoding: 'utf8',
    maxBuffer: 16 * 1_048_576,
  });
  const hint =
    '\n\nThe document makes other types than the committed ones. Write them: node scripts/openapi.mjs\n';
  const isSame = readFileSync(join(__dirname, 'api-types.ts'), 'utf8') === printed;
  expect(isSame ? '' : hint).toBe('');
});
