import type { PipelineId } from '@penstock/contracts';
import * as fc from 'fast-check';
import { type LoggedChange, packChange, unpackChange } from './change-log';
import type { OpenDelivery } from './changes';
import { OpenDeliveries } from './open-deliveries';

const pipeline = fc.constantFrom('one', 'two', 'three-_3') as fc.Arbitrary<PipelineId>;
const offset = fc.oneof(fc.nat(20), fc.integer({ min: -(2 ** 51), max: 2 ** 51 }));
const key = fc.record({ offset, pipeline });
const openDelivery = fc.record({
  offset,
  pipeline,
  version: fc.integer({ min: 1, max: 3 }),
  attempts: fc.oneof(fc.constant(0), fc.nat(100)),
  dueMs: fc.oneof(fc.constant(0), fc.nat(2 ** 41)),
});
const change: fc.Arbitrary<LoggedChange> = fc.record({
  isSnapshot: fc.boolean(),
  open: fc.array(openDelivery),
  closed: fc.array(key),
});

it('unpacks what it packed', () => {
  fc.assert(
    fc.property(change, (logged) => {
      expect(unpackChange(packChange(logged))).toEqual(logged);
    }),
  );
});

it('names each version of a pipeline once', () => {
  const open = [0, 1, 2].map((at) => ({
    offset: 1_000_000 + at,
    pipeline: 'one' as PipelineId,
    version: 7,
    attempts: at,
    dueMs: 0,
  }));
  const closed = open.map(({ pipeline: id }) => ({ offset: 1_000_001, pipeline: id }));
  expect(packChange({ isSnapshot: false, open, closed })).toBe(
    '[0,1000000,["one@7"],[0,0,1,-1,1,0,2,-1,2,0],[1,0,1,0,1,0]]',
  );
});

it('lists open deliveries by offset, then in the order of opening, also after attempts', () => {
  const opened = (at: number, id: string, attempts = 0): OpenDelivery => ({
    offset: at,
    pipeline: id as PipelineId,
    version: 1,
    attempts,
    dueMs: 0,
  });
  const deliveries = new OpenDeliveries();
  deliveries.apply({ isSnapshot: false, open: [opened(5, 'b'), opened(5, 'a')], closed: [] });
  deliveries.apply({ isSnapshot: false, open: [opened(4, 'z'), opened(5, 'b', 1)], closed: [] });
  expect(deliveries.list()).toEqual([opened(4, 'z'), opened(5, 'b', 1), opened(5, 'a')]);
  deliveries.apply({ isSnapshot: false, open: [], closed: [opened(5, 'b')] });
  expect(deliveries.list()).toEqual([opened(4, 'z'), opened(5, 'a')]);
  deliveries.apply({ isSnapshot: true, open: [opened(9, 'y')], closed: [] });
  expect(deliveries.list()).toEqual([opened(9, 'y')]);
});
