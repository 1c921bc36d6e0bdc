import type { RecordValue } from '@penstock/schema';
import { type FunctionBatch, RecordFailure, SandboxUnavailable } from '@penstock/transformations';
import { SystemClock } from '../time/clock';
import { FunctionQueue } from './function-queue';

const NOTHING = { kind: 'object', properties: [] } as const;
const BATCH: FunctionBatch = {
  isolation: 'w/p@1',
  definition: { language: 'Python', source: '', preserveJSON: false, inPaths: [], outPaths: [] },
  schemas: { input: NOTHING, output: NOTHING },
  purpose: 'Create',
};

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

type Results = (records: readonly RecordValue[]) => Promise<readonly RecordValue[]>;

const setUp = (results: Results = (records) => Promise.resolve(records)) => {
  const batches: number[][] = [];
  const errors: unknown[] = [];
  const given: unknown[] = [];
  const state = { results };
  const queue = new FunctionQueue(BATCH, {
    functions: {
      run: async (batch, records) => {
        expect(batch).toBe(BATCH);
        batches.push(records.map((record) => record['n'] as number));
        return { records: await state.results(records), console: '' };
      },
      circuitOf: () => 'unknown',
    },
    clock: new SystemClock(),
    backoff: { backoffBaseMs: 1_000, backoffCapMs: 1_000 },
    onError: (error) => errors.push(error),
  });
  const add = (from: number, count: number, isVoid = () => false): void => {
    for (let n = from; n < from + count; n += 1)
      queue.add({
        record: { n },
        isVoid,
        onResult: (result) =>
          given.push(result instanceof RecordFailure ? result.message : result['n']),
      });
  };
  return { queue, state, batches, errors, given, add };
};

const numbers = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => from + index);

it('waits 200 ms for others after the first', async () => {
  const { add, batches, given } = setUp();
  add(0, 1);
  await jest.advanceTimersByTimeAsync(150);
  add(1, 1);
  await jest.advanceTimersByTimeAsync(49);
  expect(batches).toEqual([]);
  await jest.advanceTimersByTimeAsync(1);
  expect(batches).toEqual([[0, 1]]);
  expect(given).toEqual([0, 1]);
});

it('stops waiting when there are 100', async () => {
  const { add, batches } = setUp();
  add(0, 99);
  await jest.advanceTimersByTimeAsync(10);
  expect(batches).toEqual([]);
  add(99, 1);
  await jest.advanceTimersByTimeAsync(0);
  expect(batches).toEqual([numbers(0, 100)]);
});

it('runs one batch at a time, and the next one with the records that came meanwhile', async () => {
  let finish: () => void = () => undefined;
  const { add, batches, given, state } = setUp();
  state.results = (records) =>
    new Promise((resolve) => {
      finish = () => resolve(records);
    });
  add(0, 100);
  await jest.advanceTimersByTimeAsync(0);
  add(100, 120);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(batches).toEqual([numbers(0, 100)]);
  finish();
  await jest.advanceTimersByTimeAsync(0);
  expect(batches).toEqual([numbers(0, 100), numbers(100, 100)]);
  finish();
  await jest.advanceTimersByTimeAsync(200);
  finish();
  await jest.advanceTimersByTimeAsync(0);
  expect(batches[2]).toEqual(numbers(200, 20));
  expect(given).toEqual(numbers(0, 220));
});

it('retries while no sandbox is available, without records whose result is not needed any more', async () => {
  const { add, batches, errors, given, state } = setUp(() =>
    Promise.reject(new SandboxUnavailable('does not start')),
  );
  let isVoid = false;
  add(0, 1);
  add(1, 1, () => isVoid);
  await jest.advanceTimersByTimeAsync(10_000);
  expect(batches.length).toBeGreaterThan(3);
  expect([given, errors]).toEqual([[], []]);
  isVoid = true;
  state.results = (records) => Promise.resolve(records);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(batches.at(-1)).toEqual([0]);
  expect(given).toEqual([0]);
});

it('fails only the record that our own code cannot handle', async () => {
  const { add, errors, given } = setUp((records) =>
    records.some(({ n }) => n === 1)
      ? Promise.reject(new TypeError('a bug'))
      : Promise.resolve(records),
  );
  add(0, 3);
  await jest.advanceTimersByTimeAsync(200);
  expect(given).toEqual([0, 'an internal error has occurred', 2]);
  expect(errors).toMatchObject([{ name: 'RouterFault', cause: new TypeError('a bug') }]);
});

it('returns no results after it was stopped', async () => {
  const { add, queue, batches, given, state } = setUp();
  state.results = (records) =>
    new Promise((resolve) => {
      setTimeout(() => resolve(records), 500);
    });
  add(0, 100);
  add(100, 1);
  await jest.advanceTimersByTimeAsync(100);
  queue.stop();
  await jest.advanceTimersByTimeAsync(10_000);
  expect(batches).toEqual([numbers(0, 100)]);
  expect(given).toEqual([]);
});
