// Lints all sources, or the paths in the arguments: ESLint checks which imports are allowed, oxlint all other rules. Both
// must refuse what is forbidden: without a project graph of Nx, for example, the rule on module boundaries only prints a
// warning and checks nothing.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
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

/** A source that breaks rules with types and without, and the rules. */
const FAULTY = `export const first = async (given: any): Promise<void> => {
  Promise.resolve(given.name);
  console.log(given!);
  await 1;
};
`;
const OPTIONS = { strict: true, lib: ['ES2023', 'DOM'], types: [] };
const FAULTS = [
  'typescript(await-thenable)',
  'typescript(no-explicit-any)',
  'typescript(no-floating-promises)',
  'typescript(no-non-null-assertion)',
  'typescript(no-unnecessary-type-assertion)',
  'typescript(no-unsafe-member-access)',
  'eslint(no-console)',
];

/** Folders that are linted at once: the types of all of them together would take 2 GB. */
const PARTS = [
  ['libs', 'tools'],
  ['services', 'e2e', 'bench'],
];

/** The processes of oxlint return memory earlier than they do by default. */
const SPARING = { ...ENVIRONMENT, GOGC: '40' };

const execute = (name, args, options = {}) =>
  spawnSync(join(ROOT, 'node_modules', '.bin', name), args, {
    ...{ cwd: ROOT, env: ENVIRONMENT, encoding: 'utf8', stdio: 'inherit' },
    ...options,
  });

const fail = (message) => {
  process.stderr.write(`${message}\n`);
  process.exit(1);
};

const checkImportRules = async () => {
  const eslint = new ESLint({ cwd: ROOT });
  for (const [file, line, rule] of FORBIDDEN) {
    const text = `${line}\n${readFileSync(join(ROOT, file), 'utf8')}`;
    const [{ messages }] = await eslint.lintText(text, { filePath: join(ROOT, file) });
    if (!messages.some(({ messageId }) => messageId === rule))
      fail(`a rule is blind: ${file} may have ${line}`);
  }
};

/** What oxlint says of the faulty source, which is in a folder that Git does not ignore: oxlint leaves out what it does. */
const saidOfFaults = () => {
  const folder = mkdtempSync(join(tmpdir(), 'lint-'));
  try {
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS }));
    writeFileSync(join(folder, 'faulty.ts'), FAULTY);
    const args = ['--config', join(ROOT, '.oxlintrc.json'), folder];
    return execute('oxlint', args, { stdio: 'pipe' }).stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const given = process.argv.slice(2);
if (execute('nx', ['show', 'projects'], { stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0)
  fail('Nx cannot make the graph of projects');
if (given.length === 0) {
  await checkImportRules();
  const said = saidOfFaults();
  const blind = FAULTS.filter((rule) => !said.includes(rule));
  if (blind.length > 0) fail(`rules are blind: ${blind.join(', ')}\n${said}`);
}
const parts = given.length > 0 ? [given] : PARTS;
const passed = [
  execute('eslint', ['--max-warnings', '0', '--no-warn-ignored', ...parts.flat()]),
  ...parts.map((paths) => execute('oxlint', ['--deny-warnings', ...paths], { env: SPARING })),
].every(({ status }) => status === 0);
if (!passed) process.exit(1);
