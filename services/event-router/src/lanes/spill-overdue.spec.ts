import type { DestinationId } from '../store/lane-id';
import type { Lane } from './lane';
import type { LiveDelivery } from './delivery';
import type { SpillAllowance } from './spill-allowance';
import { spillOverdue } from './spill-overdue';

/** Number of deliveries of a given size that each lane may spill at one call, by name of the lane. */
const moved = (
  workspaces: Readonly<Record<string, readonly string[]>>,
  bytes = 1,
): Readonly<Record<string, number>> => {
  const deliveries = Array.from({ length: 1_000 }, () => ({ held: { bytes } }) as LiveDelivery);
  const counts: Record<string, number> = {};
  const owners = new Map<string, string>();
  const lanes = Object.entries(workspaces).flatMap(([workspace, names]) =>
    names.map((name) => {
      owners.set(name, workspace);
      const spill = (allowance: SpillAllowance): void => {
        counts[name] = allowance.take(deliveries);
      };
      const destination = name as DestinationId;
      return { destination, hasOverdue: !name.startsWith('well'), spill } as unknown as Lane;
    }),
  );
  spillOverdue(lanes, (lane) => owners.get(lane) ?? '', 200);
  return counts;
};

it('divides the allowance by workspaces, then by their lanes that have something to spill', () => {
  expect(moved({ one: ['a', 'b', 'well'], other: ['c'], third: ['well too'] })).toEqual({
    a: 50,
    b: 50,
    c: 100,
  });
});

it('spills 200 deliveries, or those that fill a megabyte, and at least one of each lane', () => {
  expect(moved({ one: ['a'] })).toEqual({ a: 200 });
  expect(moved({ one: ['a'] }, 5_000)).toEqual({ a: 200 });
  expect(moved({ one: ['a'] }, 5_026)).toEqual({ a: 199 });
  expect(moved({ one: ['a'] }, 2_000_000)).toEqual({ a: 1 });
  const many = moved({ one: Array.from({ length: 500 }, (_, at) => `lane${String(at)}`) });
  expect(new Set(Object.values(many))).toEqual(new Set([1]));
});
