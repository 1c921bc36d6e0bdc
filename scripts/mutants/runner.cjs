const { relative, sep } = require('node:path');
const { default: TestRunner } = require('jest-runner');
const { mutants, present } = require('./present.cjs');

/** The runs of one spec file: without a mutant for each choice of its tests, then with each mutant. */
const runsOf = (spec) => {
  const own = mutants.filter((mutant) => mutant.spec === spec);
  const seeds = own.flatMap(({ seed }) => seed ?? []);
  const choices = [...new Set(own.map(({ test }) => test))];
  return [
    ...choices.map((test) => ({ mutant: undefined, test, seeds })),
    ...own.map((mutant) => ({ mutant, test: mutant.test, seeds: [mutant.seed ?? []].flat() })),
  ];
};

/** Runs each spec file several times in this process: what was loaded and compiled once serves all of its mutants. */
module.exports = class extends TestRunner {
  async runTests(tests, watcher, options) {
    const runs = tests.flatMap((test) => {
      const { rootDir } = test.context.config;
      const spec = relative(rootDir, test.path).split(sep).join('/');
      return runsOf(spec).map((run) => ({ ...test, spec, run }));
    });
    this.on('test-file-start', ([{ run }]) => {
      Object.assign(present, run);
    });
    return super.runTests(runs, watcher, { ...options, serial: true });
  }
};
