import type { ConnectionId } from '@penstock/contracts';
import type { Lane } from './lane';
import type { LiveDelivery } from './delivery';
import type { SpillAllowance } from './spill-allowance';
import { spillOverdue } from './spill-overdue';

/** How many deliveries of a size each of the lanes may move at one look, by the names of the lanes. */
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
      const connection = name as ConnectionId;
      return { connection, hasOverdue: !name.startsWith('well'), spill } as unknown as Lane;
    }),
  );
  spillOverdue(lanes, (lane) => owners.get(lane) ?? '', 200);
  return counts;
};

it('shares what may move by workspaces, and within them by the lanes that have something to move', () => {
  expect(moved({ one: ['a', 'b', 'well'], other: ['c'], third: ['well too'] })).toEqual({
    a: 50,
    b: 50,
    c: 100,
  });
});

it('moves 200 deliveries, or those with which a megabyte is full, and of each lane one at least', () => {
  expect(moved({ one: ['a'] })).toEqual({ a: 200 });
  expect(moved({ one: ['a'] }, 5_000)).toEqual({ a: 200 });
  expect(moved({ one: ['a'] }, 5_026)).toEqual({ a: 199 });
  expect(moved({ one: ['a'] }, 2_000_000)).toEqual({ a: 1 });
  const many = moved({ one: Array.from({ length: 500 }, (_, at) => `lane${String(at)}`) });
  expect(new Set(Object.values(many))).toEqual(new Set([1]));
});
