// Lints the project, or the paths in the arguments. Without a project graph of Nx, the rule on module boundaries only
// prints a warning and checks nothing: the graph is made first, and forbidden imports must be refused.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ESLint } from 'eslint';
import { ENVIRONMENT, ROOT } from './install.mjs';

/** Message ids of the rules. */
const ARROWS = 'onlyTagsConstraintViolation';
const RESTRICTED = 'patternWithCustomMessage';

/** Forbidden imports: the file, the import, and the message id of the rule that must refuse it. */
const FORBIDDEN = [
  ['libs/contracts/src/ids.ts', "import '@penstock/messaging';", ARROWS],
  ['libs/filters/src/filter.ts', "import '@penstock/messaging';", ARROWS],
  ['libs/messaging/src/message-log.ts', "import '@penstock/connectors';", ARROWS],
  ['services/api-gateway/src/main.ts', "import '@penstock/event-router';", ARROWS],
  ['libs/client/src/client.ts', "import '@penstock/runtime';", ARROWS],
  ['libs/databases/src/index.ts', "import '@penstock/messaging';", ARROWS],
  ['libs/platform/src/platform.ts', "import '@penstock/client';", ARROWS],
  ['libs/runtime/src/shutdown.ts', "import '@penstock/client';", ARROWS],
  ['services/pipeline-service/src/domain/pipeline.decide.ts', "import 'typeorm';", RESTRICTED],
  ['services/pipeline-service/src/domain/pipeline.decide.ts', "import './aggregates';", RESTRICTED],
  ['services/event-router/src/engine.ts', "import '@penstock/contracts/dist/ids';", RESTRICTED],
  ['services/event-router/src/engine.ts', "import 'kafkajs';", RESTRICTED],
  ['libs/contracts/src/ids.ts', "import '@nestjs/common';", RESTRICTED],
  ['libs/filters/src/filter.ts', "import 'pg';", RESTRICTED],
  ['libs/messaging/src/kafka/slice.ts', "import '@penstock/contracts/dist/ids';", RESTRICTED],
];

/** The rules that refuse imports. They need no types: to read all sources for these would take a minute and a GB. */
const OF_IMPORTS = ['@nx/enforce-module-boundaries', '@typescript-eslint/no-restricted-imports'];

const execute = (name, args, stdio) =>
  spawnSync(join(ROOT, 'node_modules', '.bin', name), args, { cwd: ROOT, env: ENVIRONMENT, stdio })
    .status === 0;

const fail = (message) => {
  process.stderr.write(`${message}\n`);
  process.exit(1);
};

if (!execute('nx', ['show', 'projects'], ['ignore', 'ignore', 'inherit']))
  fail('Nx cannot make the graph of projects');

const eslint = new ESLint({
  cwd: ROOT,
  ruleFilter: ({ ruleId }) => OF_IMPORTS.includes(ruleId),
  overrideConfig: { languageOptions: { parserOptions: { project: null } } },
});
for (const [file, line, rule] of FORBIDDEN) {
  const text = `${line}\n${readFileSync(join(ROOT, file), 'utf8')}`;
  const [{ messages }] = await eslint.lintText(text, { filePath: join(ROOT, file) });
  if (!messages.some(({ messageId }) => messageId === rule))
    fail(`a rule is blind: ${file} may have ${line}`);
}
const given = process.argv.slice(2);
const args = ['--max-warnings', '0', '--no-warn-ignored', ...(given.length > 0 ? given : ['.'])];
if (!execute('eslint', args, 'inherit')) process.exit(1);
