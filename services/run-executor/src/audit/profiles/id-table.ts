import { randomInt } from 'node:crypto';

/** Of an id, in 32-bit words. */
const WORDS = 4;
const FIRST_SLOTS = 1_024;
const LARGEST_WORD = 0xffff_ffff;

/** 128 bits as 32 hexadecimal digits. */
const FORM = /^[0-9a-f]{32}$/;

const wordOf = (digits: string, nth: number): number =>
  Number.parseInt(digits.slice(nth * 8, nth * 8 + 8), 16);

const mixed = (sum: number, word: number, factor: number): number => {
  const product = Math.imul(sum ^ word, factor);
  return product ^ (product >>> 15);
};

/** Nobody who makes ids knows where they come to stand. */
const randomFactors = (): readonly number[] =>
  Array.from({ length: WORDS }, () => randomInt(LARGEST_WORD) | 1);

/** Gives ids of 128 bits places from 0 on, in the order in which they come, in about 32 bytes each. */
export class IdTable {
  size = 0;
  private readonly factors = randomFactors();
  private words = new Uint32Array(FIRST_SLOTS * WORDS);
  /** Places, plus one; 0: free. */
  private slots = new Uint32Array(FIRST_SLOTS);

  /** @param id hexadecimal digits, with or without hyphens. @returns undefined: it has no place */
  find(id: string): number | undefined {
    const digits = id.replaceAll('-', '');
    if (!FORM.test(digits)) return undefined;
    const taken = this.slots[this.slotOf(digits)] ?? 0;
    return taken === 0 ? undefined : taken - 1;
  }

  /** @throws RangeError for what is no id. */
  add(id: string): number {
    const digits = id.replaceAll('-', '');
    if (!FORM.test(digits)) throw new RangeError('not an id of 128 bits');
    const slot = this.slotOf(digits);
    const taken = this.slots[slot] ?? 0;
    if (taken > 0) return taken - 1;
    const place = this.size;
    if (place * WORDS >= this.words.length) this.growWords();
    for (let nth = 0; nth < WORDS; nth += 1) this.words[place * WORDS + nth] = wordOf(digits, nth);
    this.slots[slot] = place + 1;
    this.size += 1;
    if (this.size * 2 > this.slots.length) this.growSlots();
    return place;
  }

  /** The id that has the place, without hyphens. */
  digitsAt(place: number): string {
    const words = this.words.subarray(place * WORDS, (place + 1) * WORDS);
    return [...words].map((word) => word.toString(16).padStart(8, '0')).join('');
  }

  private slotOf(digits: string): number {
    const mask = this.slots.length - 1;
    let slot = this.factors.reduce(
      (sum, factor, nth) => mixed(sum, wordOf(digits, nth), factor),
      0,
    );
    slot &= mask;
    for (;;) {
      const taken = this.slots[slot] ?? 0;
      if (taken === 0 || this.isAt(taken - 1, digits)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  private isAt(place: number, digits: string): boolean {
    for (let nth = 0; nth < WORDS; nth += 1)
      if (this.words[place * WORDS + nth] !== wordOf(digits, nth)) return false;
    return true;
  }

  private growWords(): void {
    const larger = new Uint32Array(this.words.length * 2);
    larger.set(this.words);
    this.words = larger;
  }

  private growSlots(): void {
    this.slots = new Uint32Array(this.slots.length * 2);
    for (let place = 0; place < this.size; place += 1)
      this.slots[this.slotOf(this.digitsAt(place))] = place + 1;
  }
}
