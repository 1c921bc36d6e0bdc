// Lints everything. The rule of the arrows between projects skips itself, with a warning that fails nothing, when Nx has no
// graph of them: the graph is made first, and a file that breaks each arrow must be refused.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ESLint } from 'eslint';
import { ENVIRONMENT, ROOT } from './install.mjs';

/** Imports that the arrows forbid, each from a file that may not have it. */
const FORBIDDEN = [
  ['libs/contracts/src/ids.ts', "import '@penstock/messaging';"],
  ['libs/filters/src/filter.ts', "import '@penstock/messaging';"],
  ['libs/messaging/src/message-log.ts', "import '@penstock/connectors';"],
  ['services/api-gateway/src/main.ts', "import '@penstock/event-router';"],
  ['libs/client/src/client.ts', "import '@penstock/runtime';"],
];

const bin = (name) => join(ROOT, 'node_modules', '.bin', name);
const execute = (name, args, stdio) =>
  spawnSync(bin(name), args, { cwd: ROOT, env: ENVIRONMENT, stdio }).status === 0;

const fail = (message) => {
  process.stderr.write(`${message}\n`);
  process.exit(1);
};

if (!execute('nx', ['show', 'projects'], 'ignore')) fail('Nx cannot make the graph of projects');

const eslint = new ESLint({ cwd: ROOT });
for (const [file, line] of FORBIDDEN) {
  const text = `${line}\n${readFileSync(join(ROOT, file), 'utf8')}`;
  const [{ messages }] = await eslint.lintText(text, { filePath: join(ROOT, file) });
  if (!messages.some(({ ruleId }) => ruleId === '@nx/enforce-module-boundaries'))
    fail(`the rule of the arrows is blind: ${file} may have ${line}`);
}
if (!execute('eslint', ['.', '--max-warnings', '0', '--no-warn-ignored'], 'inherit'))
  process.exit(1);
