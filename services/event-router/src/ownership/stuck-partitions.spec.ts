import type { LeaseState } from './lease-state';
import { StuckPartitions } from './stuck-partitions';

it('lists partitions that have been in transient states for a given time', () => {
  const stuck = new StuckPartitions();
  const look = (states: readonly LeaseState[], nowMs: number): void => {
    stuck.look(new Map(states.entries()), nowMs);
  };
  look(['wanted', 'wanted', 'released'], 0);
  look(['restoring', 'owned', 'released'], 500);
  expect(stuck.since(1_000, 999)).toEqual([]);
  expect(stuck.since(1_000, 1_000)).toEqual([0]);
  look(['owned', 'owned', 'released'], 1_500);
  expect(stuck.since(1_000, 9_000)).toEqual([]);
});
