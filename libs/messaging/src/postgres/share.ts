/** The present holder of a partition of a group. */
export interface Holding {
  readonly partition: number;
  /** `null`: free to be claimed. */
  readonly member: string | null;
}

export interface Share {
  /** Free partitions to claim now. */
  readonly claim: readonly number[];
  /** Held partitions to release for other members. */
  readonly giveUp: readonly number[];
}

/**
 * Computes the changes that bring a member to its share: it claims free partitions up to the share, and gives up those
 * beyond.
 *
 * Every member computes this for itself from the same rows: the shares add up to all partitions, so that the group
 * settles, and no more partitions move than necessary.
 *
 * @param members live members, the oldest first: the oldest get what does not divide evenly.
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
