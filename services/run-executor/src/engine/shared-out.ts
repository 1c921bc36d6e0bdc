/** Why records failed, as far as they may be counted here again after a reading has begun anew. */
export interface Room {
  /** Records that earlier readings have counted here. */
  readonly earlier: number;
  /** How often a record was explained here of which it is not known whether it was before. */
  readonly again: number;
}

/**
 * Shares records out among the reasons of their step that are known to have failed there, and not for which of them: first among
 * those that earlier readings have recorded, and what is beyond among those that were told again. At the end of a reading
 * that finds the same records each reason has its own.
 */
export const sharedOut = (
  rooms: readonly Room[],
  records: number,
): { readonly known: readonly number[]; readonly left: number } => {
  let left = records;
  const take = (most: number): number => {
    const taken = Math.min(left, most);
    left -= taken;
    return taken;
  };
  const ofEarlier = rooms.map(({ earlier }) => take(earlier));
  const known = rooms.map(({ again }, index) => (ofEarlier[index] ?? 0) + take(again));
  return { known, left };
};
