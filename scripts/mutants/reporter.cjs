const { writeFileSync } = require('node:fs');
const { report } = require('./present.cjs');

const SEED = /seed (\d+):/;

/** A reporter of jest that writes how each run of a spec file has ended. */
module.exports = class {
  constructor() {
    this.found = [];
  }

  onTestResult(
    { spec, run: { mutant, test } },
    { numFailingTests, numPassingTests, testExecError, testResults, perfStats },
  ) {
    const message = testResults.flatMap(({ failureMessages }) => failureMessages).join('\n');
    this.found.push({
      project: mutant?.project,
      name: mutant?.name,
      spec,
      test,
      isCaught: numFailingTests > 0,
      hasRun: testExecError == null && numFailingTests + numPassingTests > 0,
      seed: Number(SEED.exec(message)?.[1] ?? NaN),
      error: testExecError?.message ?? message,
      title: testResults.find(({ status }) => status === 'failed')?.fullName,
      ms: perfStats.end - perfStats.start,
    });
    // At once: a mutant that blocks the process leaves what was found before.
    writeFileSync(report, JSON.stringify(this.found));
  }
};
