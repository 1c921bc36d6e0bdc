import type { ConnectionId, PipelineId } from '@penstock/contracts';
import type { Cursor } from '../store/changes';
import { Cursors } from './cursors';

const LANE = 'lane' as ConnectionId;
const PIPELINE = 'pipeline' as PipelineId;
const WHOLE = { lane: LANE, orderKey: '' };
const KEY = { lane: LANE, orderKey: 'key' };
const at = (position: number, whose = WHOLE, owed: Cursor['owed'] = new Map()): Cursor => ({
  ...whose,
  position,
  owed,
});
const owing = (count: number) => new Map([[PIPELINE, count]]);

it('writes a cursor when it is below routed, and again when it has moved', () => {
  const cursors = new Cursors([]);
  const cursor = cursors.hold(WHOLE, 5);
  expect(cursors.take(5).moved).toEqual([]);
  expect(cursors.take(6).moved).toEqual([at(5)]);
  expect(cursors.take(7).moved).toEqual([]);
  cursor.position = 7;
  expect(cursors.take(7).moved).toEqual([at(7)]);
});

it('deletes the row of a dropped cursor, if there is one', () => {
  const cursors = new Cursors([at(3)]);
  cursors.drop(WHOLE);
  expect(cursors.take(9)).toEqual({ moved: [], dropped: [WHOLE] });
  cursors.hold(WHOLE, 9);
  cursors.drop(WHOLE);
  expect(cursors.take(9)).toEqual({ moved: [], dropped: [] });
});

it('writes a cursor again that was dropped and held again between two commits', () => {
  const cursors = new Cursors([at(3)]);
  cursors.drop(WHOLE);
  cursors.hold(WHOLE, 9);
  expect(cursors.take(9)).toEqual({ moved: [at(9)], dropped: [] });
});

it('returns the detached lanes in an object that does not change', () => {
  const cursors = new Cursors([]);
  const before = cursors.detachedLanes;
  cursors.hold(KEY, 1);
  expect(cursors.detachedLanes).toBe(before);
  cursors.hold(WHOLE, 1);
  expect([...before]).toEqual([]);
  expect([...cursors.detachedLanes]).toEqual([LANE]);
  expect(cursors.lowest).toBe(1);
});

it('returns the same object of detached lanes until one is detached or attached', () => {
  const cursors = new Cursors([at(3), at(3, KEY)]);
  const restored = cursors.detachedLanes;
  expect([...restored]).toEqual([LANE]);
  cursors.hold(WHOLE, 9);
  cursors.drop(KEY);
  cursors.take(9);
  expect(cursors.detachedLanes).toBe(restored);
  cursors.drop(WHOLE);
  const without = cursors.detachedLanes;
  expect([[...restored], [...without]]).toEqual([[LANE], []]);
  cursors.drop(WHOLE);
  expect(cursors.detachedLanes).toBe(without);
});

it('restores and drops many cursors without a copy of the lanes for each', () => {
  const lanes = Array.from({ length: 1_000 }, (_, index) => `lane${index}` as ConnectionId);
  const restored = lanes.map((lane) => at(3, { lane, orderKey: '' }));
  const copied = jest.spyOn(Set.prototype, Symbol.iterator);
  const cursors = new Cursors(restored);
  const before = cursors.detachedLanes;
  for (const cursor of restored) cursors.drop(cursor);
  const after = cursors.detachedLanes;
  const copies = copied.mock.calls.length;
  copied.mockRestore();
  expect(copies).toBeLessThanOrEqual(2);
  expect([[...before], after.size]).toEqual([lanes, 0]);
});

it('writes the number of deliveries left to a key at each change, also when the key is at routed', () => {
  const cursors = new Cursors([]);
  const cursor = cursors.hold(KEY, 5);
  cursors.owe(cursor, PIPELINE);
  cursors.owe(cursor, PIPELINE);
  const { moved } = cursors.take(5);
  cursors.pay(cursor, PIPELINE);
  expect(moved).toEqual([at(5, KEY, owing(2))]);
  expect(cursors.take(5).moved).toEqual([at(5, KEY, owing(1))]);
  expect(cursors.take(5).moved).toEqual([]);
  cursors.pay(cursor, PIPELINE);
  expect(cursors.take(5).moved).toEqual([at(5, KEY)]);
});

it('keeps the restored number of deliveries left to a key until it is remitted', () => {
  const cursors = new Cursors([at(3, KEY, owing(2))]);
  const cursor = cursors.hold(KEY, 3);
  expect(cursors.remit(cursor)).toEqual(owing(2));
  expect(cursors.remit(cursor)).toEqual(new Map());
  expect(cursors.take(9).moved).toEqual([at(3, KEY)]);
});
