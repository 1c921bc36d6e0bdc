import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

const may = (sourceTag, ...onlyDependOnLibsWithTags) => ({ sourceTag, onlyDependOnLibsWithTags });
const only = (group, message) => ({ group, message });

const kafkajs = only(['kafkajs', 'kafkajs/*'], 'Only the Kafka adapter of the log knows kafkajs.');
const nest = only(['@nestjs/*'], 'Contracts and cores do not know Nest.');
const database = only(['typeorm', 'pg'], 'Contracts and cores do not know the database.');
const deep = only(
  ['@penstock/*/*', '!@penstock/runtime/program'],
  'A library is imported by its name: what it does not export is its own.',
);
const impure = [
  {
    regex: '^(?!@penstock/(contracts|event-sourcing)$)',
    message: 'A decider knows the contracts and the form of a decider, nothing else.',
  },
  {
    regex: '^@penstock/event-sourcing$',
    allowTypeImports: true,
    message: 'A decider calls nothing but itself and the contracts.',
  },
];
const restricted = (...patterns) => ({
  '@typescript-eslint/no-restricted-imports': ['error', { patterns }],
});

/** Which imports are allowed. All other rules are those of oxlint. */
export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      'libs/client/src/api-types.ts',
      'node_modules',
      '.nx',
      '.cache',
      '.penstock',
      '**/*.mjs',
      '**/*.cjs',
      '*.js',
    ],
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.base],
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        {
          allow: ['../../../libs/embedded-postgres/src', '../../local-kafka/src'],
          depConstraints: [
            may('type:contracts', 'type:contracts'),
            may('type:core', 'type:contracts', 'type:core'),
            may('type:driver', 'type:contracts', 'type:core', 'type:tool'),
            may('type:adapter', 'type:contracts', 'type:core', 'type:driver', 'type:tool'),
            may(
              'type:assembly',
              'type:contracts',
              'type:core',
              'type:driver',
              'type:adapter',
              'type:tool',
            ),
            may(
              'type:service',
              'type:contracts',
              'type:core',
              'type:driver',
              'type:adapter',
              'type:assembly',
              'type:tool',
            ),
            may('type:client', 'type:contracts'),
            may('type:tool', 'type:tool', 'type:driver', 'type:adapter'),
            may('type:app', '*'),
          ],
        },
      ],
      ...restricted(kafkajs, deep),
    },
  },
  {
    files: [
      'libs/schema/**/*.ts',
      'libs/contracts/**/*.ts',
      'libs/egress/**/*.ts',
      'libs/filters/**/*.ts',
      'libs/settings/**/*.ts',
      'libs/transformations/**/*.ts',
    ],
    rules: restricted(kafkajs, nest, database, deep),
  },
  {
    files: ['**/*.decide.ts'],
    rules: restricted(...impure),
  },
  {
    files: ['libs/messaging/src/kafka/**/*.ts'],
    rules: {
      ...restricted(deep),
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.property.name='sendBatch']",
          message:
            'One partition a send: kafkajs loses acknowledged messages of a request over several.',
        },
      ],
    },
  },
  {
    files: [
      'tools/local-kafka/**/*.ts',
      'e2e/**/*.ts',
      'bench/**/*.ts',
      '**/*.spec.ts',
      '**/kafka/**/*.ts',
    ],
    rules: restricted(deep),
  },
);
