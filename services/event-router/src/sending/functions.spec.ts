import type { PipelineId } from '@penstock/contracts';
import type { FunctionBatch } from '@penstock/transformations';
import type { Delivery } from '../lanes/delivery';
import type { Endings } from '../lanes/endings';
import type { CompiledPipeline } from '../routing/compiled-pipeline';
import { SystemClock } from '../time/clock';
import { Functions } from './functions';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const setUp = () => {
  const functions = new Functions({ keepValues: () => undefined } as unknown as Endings, {
    functions: {
      run: (_, records) => Promise.resolve({ records, console: '' }),
      circuitOf: () => 'closed',
    },
    clock: new SystemClock(),
    backoff: { backoffBaseMs: 1_000, backoffCapMs: 1_000 },
    onError: () => undefined,
  });
  let made = 0;
  const transform = (pipeline: CompiledPipeline): void => {
    const held = { read: { event: {}, partition: { isGone: false } } };
    functions.transform(
      { pipeline, held, isDone: false } as unknown as Delivery,
      () => (made += 1),
    );
  };
  const known = () => [...functions.circuits()].map(({ pipeline, version }) => [pipeline, version]);
  return { transform, known, made: () => made };
};

const version = (id: string, number: number): CompiledPipeline => {
  const batch = { isolation: `w/${id}@${String(number)}` } as FunctionBatch;
  return {
    state: { id: id as PipelineId, version: number },
    function: batch,
  } as CompiledPipeline;
};

it('forgets the versions of a pipeline whose last record is done, when the next one comes', async () => {
  const { transform, known, made } = setUp();
  for (let number = 1; number <= 100; number += 1) {
    transform(version('p', number));
    await jest.advanceTimersByTimeAsync(200);
  }
  expect(made()).toBe(100);
  expect(known()).toEqual([['p', 100]]);
});

it('keeps those that have something to do', async () => {
  const { transform, known, made } = setUp();
  for (const number of [1, 2, 3]) transform(version('p', number));
  expect(known()).toHaveLength(3);
  await jest.advanceTimersByTimeAsync(200);
  expect(made()).toBe(3);
});

it('keeps a thousand idle ones, the newest', async () => {
  const { transform, known } = setUp();
  for (let number = 0; number < 1_010; number += 1) {
    transform(version(`p${String(number)}`, 1));
    await jest.advanceTimersByTimeAsync(200);
  }
  expect(known().length).toBeLessThanOrEqual(1_001);
  expect(known().at(-1)).toEqual(['p1009', 1]);
});
