import type { PipelineId } from '@penstock/contracts';
import type { HeldCursor } from '../progress/cursors';
import { Detachment } from './detachment';

const entry = (offset: number, pipeline: string) => ({
  offset,
  pipeline: pipeline as PipelineId,
  version: 1,
  attempts: 0,
  dueMs: 0,
});

it('wakes deliveries by offset and pipeline, whatever the order in which they were added', () => {
  const detachment = new Detachment({ position: 9 } as HeldCursor, 0);
  detachment.fallAsleep([entry(5, 'b'), entry(7, 'a')]);
  detachment.fallAsleep([entry(6, 'c'), entry(5, 'a')]);
  expect(detachment.at).toBe(5);
  const woken: string[] = [];
  for (let { firstAsleep } = detachment; firstAsleep < Infinity; { firstAsleep } = detachment)
    woken.push(`${String(firstAsleep)}${String(detachment.wake(firstAsleep)?.pipeline)}`);
  expect(woken).toEqual(['5a', '5b', '6c', '7a']);
});
