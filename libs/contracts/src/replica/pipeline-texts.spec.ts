import type { ConnectionId, PipelineId, WorkspaceId } from '../ids';
import type { EventPipelineState } from '../state';
import { PipelineTexts } from './pipeline-texts';

const id = 'pipeline0000001' as PipelineId;

const version = (number: number): EventPipelineState => ({
  ...{ kind: 'pipeline', id, version: number, deleted: false, name: 'A pipeline' },
  ...{ workspace: 'workspace000001' as WorkspaceId, connection: 'destination0001' as ConnectionId },
  ...{ target: 'Event', eventType: 'Track event', enabled: true },
  ...{ filter: null, outSchema: null, transformation: null, inSchema: null },
});

/** Room for two versions: each counts for 1,024. */
const texts = () => {
  const all = new PipelineTexts(2_048);
  const learn = (...numbers: readonly number[]): void => {
    for (const number of numbers) all.learn(version(number));
  };
  const has = (...numbers: readonly number[]): boolean[] =>
    numbers.map((number) => all.has(id, number));
  return { all, learn, has };
};

it('forgets what was used least recently, but never the last one', () => {
  const { all, learn, has } = texts();
  learn(1, 2);
  expect(all.get(id, 1)?.version).toBe(1);
  learn(3);
  expect(has(2, 1, 3)).toEqual([false, true, true]);
  const narrow = new PipelineTexts(1);
  narrow.learn(version(1));
  expect(narrow.has(id, 1)).toBe(true);
});

it('keeps what was learned or asked for since it is held, and only as long', () => {
  const { all, learn, has } = texts();
  learn(1, 2);
  const release = all.hold();
  expect(has(2)).toEqual([true]);
  learn(3, 4, 5);
  expect(all.size).toBe(4);
  expect(has(1, 2, 3, 4, 5)).toEqual([false, true, true, true, true]);
  release();
  expect(has(2, 3, 4, 5)).toEqual([false, false, true, true]);
});

it('keeps what any of several holds needs', () => {
  const { all, learn, has } = texts();
  const first = all.hold();
  learn(1, 2);
  const second = all.hold();
  learn(3, 4);
  second();
  expect(all.size).toBe(4);
  first();
  expect(has(3, 4)).toEqual([true, true]);
  expect(all.size).toBe(2);
});
