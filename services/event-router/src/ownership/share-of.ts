import type { Roll } from '../store/router-store';

/** The input of a member's share, beside the roll. */
export interface Holdings {
  readonly me: string;
  /** Number of partitions; they are numbered from 0. */
  readonly partitions: number;
  /** Partitions that this member has or is acquiring; the one to give up last comes first. */
  readonly held: readonly number[];
  /** Partitions that it could claim now if they are free: no call is under way for them, and no pause. */
  readonly claimable: readonly number[];
  /** Claims only what it had before: after an outage the others may not be in the roll yet. */
  readonly isCautious: boolean;
}

/** The changes that bring a member to its share. */
export interface Share {
  /** Partitions to acquire now. */
  readonly claim: readonly number[];
  /** Held partitions to leave to other members. */
  readonly giveUp: readonly number[];
  /** Whether what it holds and claims reaches its quota. */
  readonly isFull: boolean;
  /** Whether there may soon be something to claim. */
  readonly isHungry: boolean;
}

/** Live members, this one included. One with a lapsed lease is left out, however recent its last beat is. */
const living = (me: string, { members, leases }: Roll): readonly string[] => {
  const gone = new Set(leases.filter(({ isFree }) => isFree).map(({ member }) => member));
  const others = members.filter((each) => each === me || !gone.has(each));
  return others.includes(me) ? others : [...others, me];
};

/** Rotates the values, so that members do not all claim the same partitions. */
const rotated = (values: readonly number[], by: number): readonly number[] => {
  const start = values.length === 0 ? 0 : by % values.length;
  return [...values.slice(start), ...values.slice(0, start)];
};

/**
 * A fair share that moves few partitions: a member keeps what it holds, gives up only what exceeds its quota, and
 * claims free partitions up to the quota.
 *
 * Each member computes this by itself from the same rows. The quotas add up to all partitions, the first members of the
 * roll getting the remainder, so that every free partition is within the quota of a member.
 */
export const shareOf = (holdings: Holdings, roll: Roll): Share => {
  const { me, partitions, held, claimable, isCautious } = holdings;
  const members = living(me, roll);
  const rank = members.indexOf(me);
  const evenly = Math.floor(partitions / members.length);
  const quota = evenly + (rank < partitions % members.length ? 1 : 0);
  const views = new Map(roll.leases.map((view) => [view.partition, view]));
  const isOwn = (each: number): boolean => views.get(each)?.member === me;
  const isFree = (each: number): boolean => !isOwn(each) && views.get(each)?.isFree !== false;
  const own = claimable.filter(isOwn);
  const open = isCautious ? own : [...own, ...rotated(claimable.filter(isFree), rank * evenly)];
  const others = [...Array(partitions).keys()].filter((each) => !held.includes(each));
  const claim = open.slice(0, Math.max(0, quota - held.length));
  return {
    claim,
    giveUp: held.slice(quota),
    isFull: held.length + claim.length >= quota,
    isHungry: held.length < quota || others.some(isFree),
  };
};
