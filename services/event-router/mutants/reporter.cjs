const { writeFileSync } = require('node:fs');

const SEED = /seed (\d+):/;

/** A reporter of jest that writes which mutants made their spec fail, and with which seed of the model. */
module.exports = class {
  constructor() {
    this.found = {};
  }

  onTestResult({ context }, { numFailingTests, numPassingTests, testExecError, testResults }) {
    const message = testResults.flatMap(({ failureMessages }) => failureMessages).join('\n');
    this.found[context.config.displayName.name] = {
      isCaught: numFailingTests > 0,
      hasRun: testExecError == null && numFailingTests + numPassingTests > 0,
      seed: Number(SEED.exec(message)?.[1] ?? NaN),
      error: testExecError?.message ?? '',
    };
  }

  onRunComplete() {
    writeFileSync(process.env.MUTANT_REPORT, JSON.stringify(this.found));
  }
};
