const NONE: readonly never[] = [];

/** Index of the first id that is not older than the given one. */
const indexOf = (ids: readonly string[], id: string): number => {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] ?? '') < id) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Ids by what they belong to, oldest first: ids sort by the time at which they were made. */
export class SortedIds<Id extends string> {
  private readonly idsOf = new Map<string, Id[]>();

  add(owner: string, id: Id): void {
    const ids = this.idsOf.get(owner);
    if (ids === undefined) {
      this.idsOf.set(owner, [id]);
      return;
    }
    const index = indexOf(ids, id);
    if (ids[index] !== id) ids.splice(index, 0, id);
  }

  delete(owner: string, id: Id): void {
    const ids = this.idsOf.get(owner);
    if (ids === undefined) return;
    const index = indexOf(ids, id);
    if (ids[index] === id) ids.splice(index, 1);
    if (ids.length === 0) this.idsOf.delete(owner);
  }

  /** Not a copy: it changes with the next call. */
  of(owner: string): readonly Id[] {
    return this.idsOf.get(owner) ?? NONE;
  }

  /** Newest first, from the one behind the cursor on; an empty cursor: from the newest. */
  *newestFirst(owner: string, cursor: string): Iterable<Id> {
    const ids = this.of(owner);
    const end = cursor === '' ? ids.length : indexOf(ids, cursor);
    for (let index = end - 1; index >= 0; index -= 1) {
      const id = ids[index];
      if (id !== undefined) yield id;
    }
  }
}
