const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

/** Whether jest keeps state of a spec file under this symbol of the global scope. */
const isStateOfJest = ({ description = '' }) =>
  /^(JEST_|EVENT_HANDLERS$|RETRY_|LOG_ERRORS|WAIT_BEFORE|TEST_TIMEOUT|jest-)/i.test(description);

/**
 * Runs spec files in the global scope of the worker. In a context of `node:vm`, jest's default, each access to a global
 * name (`Map`, `Promise`, `Math`) passes an interceptor, and packages cannot be shared by spec files, because their
 * arrays and errors would not be those of the specs. What a spec file changes in the environment of the process, its
 * working directory and its console is undone after it.
 */
module.exports = class WorkerScopeEnvironment {
  constructor({ projectConfig }) {
    this.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    this.fakeTimers = this.fakeTimersModern;
    this.before = { env: { ...process.env }, folder: process.cwd(), console: globalThis.console };
    Error.stackTraceLimit = 100;
  }

  getVmContext() {
    return globalThis;
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  async setup() {}

  async teardown() {
    const { env, folder, console } = this.before;
    this.fakeTimersModern.dispose();
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    process.chdir(folder);
    globalThis.console = console;
    for (const key of Object.getOwnPropertySymbols(globalThis))
      if (isStateOfJest(key)) delete globalThis[key];
    this.global = undefined;
  }
};
