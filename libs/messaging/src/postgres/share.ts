/** Who holds which partition of a group at the moment. */
export interface Holding {
  readonly partition: number;
  /** `null`: free to be claimed. */
  readonly member: string | null;
}

export interface Share {
  /** Free partitions to claim now. */
  readonly claim: readonly number[];
  /** Held partitions to give up, so that others get theirs. */
  readonly giveUp: readonly number[];
}

/**
 * What a member does about its share: it takes free partitions up to it, and gives up what it holds beyond.
 *
 * Every member computes this for itself, from the same rows: shares add up to all partitions, so that the group
 * comes to rest, and nobody moves more than must move.
 *
 * @param members living members, the eldest first: elders get what does not divide evenly.
 */
export const shareOf = (
  me: string,
  members: readonly string[],
  holdings: readonly Holding[],
): Share => {
  const rank = members.indexOf(me);
  const isElder = rank < holdings.length % members.length;
  const quota = Math.floor(holdings.length / members.length) + (isElder ? 1 : 0);
  const held = holdings.filter(({ member }) => member === me);
  const free = holdings.filter(({ member }) => member === null);
  const partitionOf = ({ partition }: Holding) => partition;
  return {
    claim: free.slice(0, Math.max(0, quota - held.length)).map(partitionOf),
    giveUp: held.slice(quota).map(partitionOf),
  };
};
