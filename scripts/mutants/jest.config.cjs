const { join } = require('node:path');
const { projects } = require('../../jest.config.js');
const { mutants } = require('./present.cjs');

const ROOT = join(__dirname, '..', '..');
/** A mutant may hang. */
const TEST_TIMEOUT_MS = 15_000;

const kindOf = (spec) => (spec.endsWith('.int.spec.ts') ? 'integration' : 'unit');

/** The spec files of this process, each of which is run once for each of its mutants. */
module.exports = {
  rootDir: ROOT,
  testTimeout: TEST_TIMEOUT_MS,
  reporters: [join(__dirname, 'reporter.cjs')],
  projects: ['unit', 'integration'].flatMap((kind) => {
    const specs = mutants.map(({ spec }) => spec).filter((spec) => kindOf(spec) === kind);
    if (specs.length === 0) return [];
    return {
      ...projects.find(({ displayName }) => displayName === kind),
      runner: join(__dirname, 'runner.cjs'),
      runtime: join(__dirname, 'runtime.cjs'),
      testEnvironment: join(__dirname, 'environment.cjs'),
      testMatch: [...new Set(specs)].map((spec) => `<rootDir>/${spec}`),
      testPathIgnorePatterns: [],
    };
  }),
};
