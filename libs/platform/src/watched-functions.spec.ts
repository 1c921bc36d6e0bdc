import {
  FunctionRefused,
  type FunctionRunner,
  SandboxUnavailable,
} from '@penstock/transformations';
import { WatchedFunctions } from './watched-functions';

const NOTHING = { kind: 'object', properties: [] } as const;
const SCHEMAS = { input: NOTHING, output: NOTHING };
const DEFINITION = {
  language: 'Python',
  source: 'def transform(event): return {}',
  preserveJSON: false,
  inPaths: [],
  outPaths: [],
} as const;
const BATCH = {
  isolation: 'a',
  definition: DEFINITION,
  schemas: SCHEMAS,
  purpose: 'Create',
} as const;

/** A sandbox that does what the test sets. */
const sandbox = () => {
  const state = { fault: undefined as Error | undefined, compiled: 0, isClosed: false };
  const runner: FunctionRunner = {
    compile: () => {
      state.compiled += 1;
      return state.fault ? Promise.reject(state.fault) : Promise.resolve();
    },
    run: () =>
      state.fault ? Promise.reject(state.fault) : Promise.resolve({ records: [], console: 'c' }),
    circuitOf: () => 'open',
    close: () => {
      state.isClosed = true;
      return Promise.resolve();
    },
  };
  const reported: Error[] = [];
  return {
    state,
    reported,
    functions: new WatchedFunctions(runner, (error) => reported.push(error)),
  };
};

const AWAY = new SandboxUnavailable('does not start');

it('is well, without a start, before anything was run', async () => {
  const { functions, state } = sandbox();
  await functions.check();
  expect(state.compiled).toBe(0);
});

it('returns the results of the runner', async () => {
  const { functions, state } = sandbox();
  expect(await functions.run(BATCH, [])).toEqual({ records: [], console: 'c' });
  expect(functions.circuitOf(BATCH)).toBe('open');
  await functions.close();
  expect(state.isClosed).toBe(true);
});

it('is unhealthy while the sandbox does not start, reports it once, and recovers by itself', async () => {
  const { functions, state, reported } = sandbox();
  state.fault = AWAY;
  await expect(functions.run(BATCH, [])).rejects.toBe(AWAY);
  await expect(functions.compile(DEFINITION, SCHEMAS)).rejects.toBe(AWAY);
  await expect(functions.check()).rejects.toBe(AWAY);
  expect(reported).toEqual([AWAY]);
  state.fault = undefined;
  await functions.check();
  state.compiled = 0;
  await functions.check();
  expect(state.compiled).toBe(0);
});

it('is well when a function is refused', async () => {
  const { functions, state, reported } = sandbox();
  state.fault = new FunctionRefused('Python: SyntaxError', 1, 2);
  await expect(functions.compile(DEFINITION, SCHEMAS)).rejects.toBe(state.fault);
  await functions.check();
  expect([reported, state.compiled]).toEqual([[], 1]);
});
