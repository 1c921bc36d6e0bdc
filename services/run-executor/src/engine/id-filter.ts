/** Bits of the filter: 2 MiB. Of a million ids, one in some hundreds is taken for one of them. */
const BITS = 16_777_216;
const PLACES = 4;
/** Source: FNV-1a. */
const [OFFSET, PRIME] = [0x811c9dc5, 0x01000193];
/** Source: MurmurHash3, the constants of its finalizer. */
const [MIX, MIX_AGAIN] = [0x85ebca6b, 0xc2b2ae35];

/** Spreads what differs in some bits over all of them. */
const mixed = (hash: number): number => {
  const once = Math.imul(hash ^ (hash >>> 16), MIX);
  const twice = Math.imul(once ^ (once >>> 13), MIX_AGAIN);
  return twice ^ (twice >>> 16);
};

/**
 * Tells of most ids that they were not added, in an amount of memory that does not grow: it says of none that was added
 * that it was not, and of some that were not that they may have been.
 */
export class IdFilter {
  private readonly words = new Int32Array(BITS / 32);

  /** Adds an id. @returns whether it may have been added before. */
  add(id: string): boolean {
    let hash = OFFSET;
    for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), PRIME);
    const step = mixed(hash) | 1;
    let place = mixed(~hash);
    let isNew = false;
    for (let each = 0; each < PLACES; each += 1) {
      const bit = (place >>> 0) % BITS;
      const mask = 1 << (bit & 31);
      const word = this.words[bit >>> 5] ?? 0;
      if ((word & mask) === 0) {
        isNew = true;
        this.words[bit >>> 5] = word | mask;
      }
      place += step;
    }
    return !isNew;
  }
}
