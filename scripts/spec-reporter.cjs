const { writeFileSync } = require('node:fs');
const { relative } = require('node:path');

/** Tests that are listed as slow, of each run of jest. */
const SLOWEST = 10;

/** Frames of jest itself, and the colours of a message. */
const NOISE =
  /^ +at (.*[\\/]node_modules[\\/]jest-|new Promise \(<anonymous>\)).*\n?|\u001b\[[0-9;]*m/gmu;

const seconds = (milliseconds) => Math.round(milliseconds / 100) / 10;

const plain = (message) => String(message).replace(NOISE, '').trim();

const suiteOf = (path, result) => ({
  path,
  seconds: seconds(result.perfStats.end - result.perfStats.start),
  passed: result.numPassingTests,
  failed: result.numFailingTests + (result.testExecError ? 1 : 0),
  skipped: result.numPendingTests + result.numTodoTests,
});

const failuresOf = (path, { testResults, testExecError, failureMessage }) =>
  testExecError
    ? [{ path, title: null, message: plain(failureMessage ?? testExecError.message) }]
    : testResults
        .filter(({ status }) => status === 'failed')
        .map(({ fullName, failureMessages }) => ({
          path,
          title: fullName,
          message: plain(failureMessages.join('\n')),
        }));

/** Prints a line for each spec file as it ends, and writes what the run has found to the file that `SPEC_REPORT` names. */
module.exports = class SpecReporter {
  constructor({ rootDir }) {
    this.rootDir = rootDir;
    this.report = { suites: [], failures: [], slowest: [] };
  }

  onTestResult(_test, result) {
    const path = relative(this.rootDir, result.testFilePath).replaceAll('\\', '/');
    const suite = suiteOf(path, result);
    const failures = failuresOf(path, result);
    this.report.suites.push(suite);
    this.report.failures.push(...failures);
    const tests = result.testResults.map(({ fullName, duration }) => ({
      path,
      title: fullName,
      seconds: seconds(duration ?? 0),
    }));
    this.report.slowest = [...this.report.slowest, ...tests]
      .sort((one, other) => other.seconds - one.seconds)
      .slice(0, SLOWEST);
    const outcome = suite.failed > 0 ? 'failed' : 'passed';
    process.stdout.write(`${outcome} ${suite.seconds.toFixed(1).padStart(6)} s  ${path}\n`);
    for (const { title, message } of failures)
      process.stdout.write(`  ${title ?? 'the file did not run'}\n    ${message.split('\n')[0]}\n`);
  }

  onRunComplete() {
    writeFileSync(process.env.SPEC_REPORT, JSON.stringify(this.report));
  }
};
