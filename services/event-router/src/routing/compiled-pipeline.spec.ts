import { newRecord, type RecordValue } from '@penstock/schema';
import { functionState, onlyEvent, pipelineState } from '../testing/pipelines.fixture';
import { compilePipeline } from './compiled-pipeline';

const track = (event: string): RecordValue => Object.assign(newRecord(), { type: 'track', event });

it('matches what its filter matches, and every event without one', () => {
  const pipeline = compilePipeline(pipelineState({ filter: onlyEvent('Order') }));
  expect(pipeline.matches(track('Order'))).toBe(true);
  expect(pipeline.matches(track('order'))).toBe(false);
  expect(pipeline.keys).toEqual({ types: null, names: new Set(['Order']) });
  expect(compilePipeline(pipelineState()).matches(track('order'))).toBe(true);
});

it('transforms nothing without a transformation', () => {
  const pipeline = compilePipeline(pipelineState());
  expect(pipeline.transform(track('Order'))).toBeNull();
  expect(pipeline.function).toBeNull();
  expect(pipeline.outSchema).toBeNull();
});

it('isolates its function from other versions', () => {
  const pipeline = compilePipeline(functionState('source', { version: 3 }));
  expect(pipeline.function).toMatchObject({
    isolation: 'workspace000001/pipeline0000001@3',
    purpose: 'Create',
  });
});

it('matches and rejects every event when it cannot be compiled', () => {
  for (const filter of ['{', '{}', '{"logical":"and","conditions":[{"property":"nothing"}]}']) {
    const pipeline = compilePipeline(pipelineState({ filter }));
    expect(pipeline.matches(track('Order'))).toBe(true);
    expect(pipeline.keys).toEqual({ types: null, names: null });
    expect(() => pipeline.transform(track('Order'))).toThrow('cannot be compiled');
  }
});
