const { existsSync } = require('node:fs');
const setup = existsSync(`${__dirname}/tools/test-servers/src/global-setup.ts`);
/** Spec files of the long form alone: `npm run test:long` sets the variable. */
const LONG_ONLY =
  process.env['PENSTOCK_TEST_LONG'] === '1' ? [] : ['\\.long\\.(int\\.)?spec\\.ts$'];
/**
 * Spec files that would fail beside others, since what they test depends on processor time. `npm test` sets the variable to
 * run them in a phase of their own.
 */
const ALONE = process.env['SPECS_ALONE'] === '0' ? ['\\.alone\\.int\\.spec\\.ts$'] : [];
/**
 * Packages that are compiled like our own code: those that are ECMAScript modules only, which node loads and jest does not, and
 * one that imports modules of Node when it is first used, which jest can do only in code that it has compiled.
 */
const COMPILED =
  '(hyparquet|hyparquet-compressors|hyparquet-writer|hysnappy|@opentelemetry/otlp-exporter-base)';
const base = {
  rootDir: __dirname,
  testEnvironment: '<rootDir>/jest.environment.js',
  runtime: '<rootDir>/jest.runtime.js',
  transform: {
    '^.+\\.ts$': '@swc/jest',
    [`/node_modules/${COMPILED}/.+\\.js$`]: '@swc/jest',
  },
  transformIgnorePatterns: [`/node_modules/(?!${COMPILED}/)`],
  moduleFileExtensions: ['ts', 'js', 'json'],
  moduleNameMapper: {
    '^@penstock/(local-clickhouse|local-kafka|local-mariadb|local-snowflake|local-storages|test-servers)$':
      '<rootDir>/tools/$1/src/index.ts',
    '^@penstock/(api-gateway|event-router|pipeline-service|run-executor|standalone)$':
      '<rootDir>/services/$1/src/index.ts',
    '^@penstock/([a-z-]+)$': '<rootDir>/libs/$1/src/index.ts',
  },
  modulePathIgnorePatterns: ['/dist/'],
};

/** Unit specs touch no I/O; integration specs need PostgreSQL and Kafka; end-to-end specs start processes. */
module.exports = {
  // Of one test, where it sets none: a machine with much else to do is no failure.
  testTimeout: 30_000,
  testSequencer: '<rootDir>/jest.sequencer.js',
  projects: [
    {
      ...base,
      displayName: 'unit',
      testMatch: ['<rootDir>/{libs,services,tools}/*/src/**/*.spec.ts'],
      testPathIgnorePatterns: ['\\.int\\.spec\\.ts$', ...LONG_ONLY],
    },
    {
      ...base,
      displayName: 'integration',
      testMatch: ['<rootDir>/{libs,services,tools}/*/src/**/*.int.spec.ts'],
      testPathIgnorePatterns: [...LONG_ONLY, ...ALONE],
      ...(setup && {
        globalSetup: '<rootDir>/tools/test-servers/src/global-setup.ts',
        globalTeardown: '<rootDir>/tools/test-servers/src/global-teardown.ts',
      }),
    },
    {
      ...base,
      displayName: 'e2e',
      testMatch: ['<rootDir>/e2e/src/**/*.spec.ts'],
      testPathIgnorePatterns: LONG_ONLY,
    },
  ],
};
