const TestEnvironment = require('../../jest.environment.js');
const { present } = require('./present.cjs');

const FAILURES = new Set(['test_fn_failure', 'hook_failure', 'error']);

/** Runs the tests that a mutant names, up to the first one that fails. */
module.exports = class extends TestEnvironment {
  constructor(...given) {
    super(...given);
    this.hasFailed = false;
    this.global.mutantSeeds = present.seeds;
    this.global.isMutant = present.mutant !== undefined;
  }

  handleTestEvent(event, state) {
    if (event.name === 'run_start' && present.test !== '')
      state.testNamePattern = { test: (title) => title.includes(present.test) };
    if (FAILURES.has(event.name)) this.hasFailed = true;
    if (event.name === 'test_start' && this.hasFailed) event.test.mode = 'skip';
  }
};
