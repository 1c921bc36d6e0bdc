import fc from 'fast-check';
import type { LeaseView, Roll } from '../store/router-store';
import { type Holdings, shareOf } from './share-of';

const roll = (members: string[], owners: (string | null)[], lapsed: number[] = []): Roll => ({
  members,
  leases: owners.map((member, partition) => ({
    partition,
    member,
    isFree: member === null || lapsed.includes(partition),
  })),
});

const holdings = (me: string, leases: readonly LeaseView[]): Holdings => {
  const held = leases.filter(({ member, isFree }) => member === me && !isFree);
  const numbers = held.map(({ partition }) => partition);
  return {
    me,
    partitions: leases.length,
    held: numbers,
    claimable: leases.map(({ partition }) => partition).filter((each) => !numbers.includes(each)),
    isCautious: false,
  };
};

const share = (me: string, of: Roll) => shareOf(holdings(me, of.leases), of);

it('gives all partitions to a member that is alone', () => {
  expect(share('a', roll(['a'], [null, null, null]))).toMatchObject({
    claim: [0, 1, 2],
    giveUp: [],
    isFull: true,
  });
});

it('gives the remainder to the oldest members', () => {
  const free = roll(['a', 'b', 'c'], Array<null>(5).fill(null));
  expect(['a', 'b', 'c'].map((each) => share(each, free).claim.length)).toEqual([2, 2, 1]);
});

it('lets members claim different partitions', () => {
  const free = roll(['a', 'b', 'c'], Array<null>(6).fill(null));
  const claims = ['a', 'b', 'c'].flatMap((each) => share(each, free).claim);
  expect(new Set(claims).size).toBe(6);
});

it('gives up only what exceeds the quota, from the end of the list', () => {
  const full = roll(['a', 'b'], ['a', 'a', 'a', 'a']);
  expect(shareOf({ ...holdings('a', full.leases), held: [3, 0, 2, 1] }, full).giveUp).toEqual([
    2, 1,
  ]);
});

it('moves nothing while shares are fair', () => {
  const fair = roll(['a', 'b'], ['b', 'a', 'b', 'a', 'a']);
  for (const each of ['a', 'b'])
    expect(share(each, fair)).toMatchObject({
      claim: [],
      giveUp: [],
      isFull: true,
      isHungry: false,
    });
});

it('claims its own partitions before others', () => {
  const mixed = roll(['a', 'b'], [null, null, 'a', 'b'], [2]);
  expect(share('a', mixed).claim[0]).toBe(2);
});

it('claims only its own while it is cautious', () => {
  const lapsed = roll(['a'], ['a', 'b', null], [0, 1]);
  const cautious = { ...holdings('a', lapsed.leases), isCautious: true };
  expect(shareOf(cautious, lapsed).claim).toEqual([0]);
});

it('leaves out a member whose lease has lapsed, however recent its last beat', () => {
  const lapsed = roll(['a', 'b'], ['a', 'b'], [1]);
  expect(share('a', lapsed).claim).toEqual([1]);
});

it('includes itself when the roll does not', () => {
  expect(share('a', roll([], [null])).claim).toEqual([0]);
});

it('treats partitions that are not in the roll as free', () => {
  const holds = { ...holdings('a', []), partitions: 2, claimable: [0, 1] };
  expect(shareOf(holds, roll(['a'], [])).claim).toEqual([0, 1]);
});

it('calls the roll often while it is below its quota or partitions are free, else seldom', () => {
  expect(share('a', roll(['a', 'b'], ['b', 'b'])).isHungry).toBe(true);
  expect(share('a', roll(['a', 'b'], ['a', null])).isHungry).toBe(true);
  expect(share('a', roll(['a', 'b'], ['a', 'b'])).isHungry).toBe(false);
});

const MEMBERS = ['a', 'b', 'c', 'd', 'e'];

it('converges from any state: all partitions owned, evenly, none moved twice', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.integer({ min: -1, max: 4 }), { minLength: 1, maxLength: 12 }),
      (count, first) => {
        const members = MEMBERS.slice(0, count);
        const owners = first.map((each) => members[each] ?? null);
        const moves = owners.map(() => 0);
        for (let round = 0; round < 3; round += 1)
          for (const me of members) {
            const { claim, giveUp } = share(me, roll(members, owners));
            for (const each of giveUp) owners[each] = null;
            for (const each of claim) {
              owners[each] = me;
              moves[each] = (moves[each] ?? 0) + 1;
            }
          }
        const sizes = members.map((me) => owners.filter((each) => each === me).length);
        expect(owners).not.toContain(null);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
        expect(Math.max(...moves)).toBeLessThanOrEqual(1);
      },
    ),
  );
});
