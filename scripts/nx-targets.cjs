const { existsSync, readdirSync } = require('node:fs');
const { basename, dirname, join } = require('node:path');

/** Files of a project that have specs of each kind, by the ends of their names. */
const UNIT = (name) => /\.spec\.ts$/.test(name) && !/\.(int|long)\.spec\.ts$/.test(name);
const INTEGRATION = (name) =>
  /\.int\.spec\.ts$/.test(name) && !/\.(long|alone)\.int\.spec\.ts$/.test(name);
const ALONE = (name) => /\.alone\.int\.spec\.ts$/.test(name);

/** The manifests of projects, and that of the repository. */
const PROJECT = /^((libs|services|tools)\/[^/]+\/|e2e\/|bench\/)?package\.json$/;

/** What decides the result of a project's checks beside its own files. */
const SURROUNDINGS = ['default', '^production', 'checks'];

const command = (line, { inputs = SURROUNDINGS, outputs = [], description }) => ({
  executor: 'nx:run-commands',
  options: { command: line, cwd: '{workspaceRoot}' },
  cache: true,
  inputs,
  outputs,
  metadata: { description },
});

/** Where a target reports its results: `npm test` adds them up, also when Nx has taken them from its cache. */
const report = (name) => `{workspaceRoot}/.cache/test-reports/${name}.json`;

const specs = (kind, root, inputs, description) => {
  const name = `${root.replaceAll('/', '-')}-${kind}`;
  return command(`node scripts/run-specs.mjs ${kind} ${root}`, {
    inputs,
    outputs: [report(name)],
    description,
  });
};

const check = (name, line, description) =>
  command(`node scripts/run-check.mjs ${name} ${line}`, {
    inputs: ['everything'],
    outputs: [report(name)],
    description,
  });

/** Checks of the whole repository, each of which has one result. */
const ROOT_TARGETS = {
  'check:format': check('format', 'oxfmt --check .', 'Checks the format.'),
  'check:types': check('types', 'npm run --silent typecheck', 'Checks the types of all projects.'),
  'check:unused': check(
    'unused-code',
    'knip --no-progress --no-config-hints',
    'Finds exports, files and dependencies that nothing uses.',
  ),
  'check:folders': check('folders', 'node scripts/folders.mjs', 'Finds folders in a cycle.'),
  'check:documented': check(
    'documentation-of-libraries',
    'node scripts/documented.mjs',
    'Finds exported names without a doc comment.',
  ),
  'check:lint': check('lint-and-boundaries', 'node scripts/lint.mjs', 'Lints all projects.'),
};

const targetsOf = (root, workspaceRoot) => {
  const source = join(workspaceRoot, root, 'src');
  if (!existsSync(source)) return {};
  const targets = {
    typecheck: command(`node scripts/typecheck.mjs ${root}`, { description: 'Checks the types.' }),
    lint: command(`node scripts/lint.mjs ${root}`, { description: 'Lints the project.' }),
  };
  if (root === 'e2e')
    return {
      ...targets,
      e2e: specs('e2e', root, ['default', 'system', 'checks'], 'Runs the end-to-end specs.'),
    };
  const names = readdirSync(source, { recursive: true }).map((path) => basename(String(path)));
  if (names.some(UNIT)) targets.test = specs('unit', root, SURROUNDINGS, 'Runs the unit specs.');
  if (names.some(INTEGRATION))
    targets['test:integration'] = specs(
      'integration',
      root,
      SURROUNDINGS,
      'Runs the integration specs on real servers.',
    );
  if (names.some(ALONE))
    targets['test:alone'] = specs(
      'alone',
      root,
      SURROUNDINGS,
      'Runs the integration specs that depend on processor time, without others beside them.',
    );
  if (existsSync(join(workspaceRoot, root, 'mutants')))
    targets.mutants = command(
      `node scripts/run-check.mjs mutants-of-${basename(root)} node scripts/mutants.mjs --project ${basename(root)}`,
      {
        outputs: [report(`mutants-of-${basename(root)}`)],
        description: 'Breaks the project in many ways, each of which a spec must notice.',
      },
    );
  return targets;
};

/** Gives each project its targets: `npx nx show project NAME` lists them. */
module.exports = {
  name: 'targets',
  createNodesV2: [
    '**/package.json',
    (files, _options, { workspaceRoot }) =>
      files
        .filter((file) => PROJECT.test(file))
        .map((file) => {
          const root = dirname(file);
          const project =
            root === '.'
              ? { name: 'repository', targets: ROOT_TARGETS }
              : { targets: targetsOf(root, workspaceRoot) };
          return [file, { projects: { [root]: project } }];
        }),
  ],
};
