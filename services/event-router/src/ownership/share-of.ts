import type { Roll } from '../store/router-store';

/** What a member knows when it works out its share. */
export interface Holdings {
  readonly me: string;
  /** How many there are, numbered from 0. */
  readonly partitions: number;
  /** What this member has or is about to have; what it would give up last comes first. */
  readonly held: readonly number[];
  /** What it could claim now if it is free: nothing is under way with it, and no pause. */
  readonly claimable: readonly number[];
  /** It claims nothing that another had: the others may not have been heard of yet after an outage. */
  readonly isCautious: boolean;
}

/** What a member does about its share. */
export interface Share {
  /** Partitions to acquire now. */
  readonly claim: readonly number[];
  /** Held partitions to leave, so that others get theirs. */
  readonly giveUp: readonly number[];
  /** What it has and claims is all that it should have. */
  readonly isFull: boolean;
  /** There may soon be something to claim. */
  readonly isHungry: boolean;
}

/** Members that live: one that let a lease lapse is not waited for, however lately it was heard of. */
const living = (me: string, { members, leases }: Roll): readonly string[] => {
  const gone = new Set(leases.filter(({ isFree }) => isFree).map(({ member }) => member));
  const others = members.filter((each) => each === me || !gone.has(each));
  return others.includes(me) ? others : [...others, me];
};

/** Begins elsewhere for each member, so that they do not all ask for the same. */
const rotated = (values: readonly number[], by: number): readonly number[] => {
  const start = values.length === 0 ? 0 : by % values.length;
  return [...values.slice(start), ...values.slice(0, start)];
};

/**
 * A fair share that changes little: a member keeps what it holds, gives up only what is beyond its quota, and takes
 * what is free up to it.
 *
 * Each works this out for itself from the same rows. Quotas add up to all partitions: the eldest get what does not
 * divide evenly. So a partition that is free is within the quota of somebody.
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
