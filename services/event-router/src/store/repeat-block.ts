import type { Repeat } from './changes';

/** What a repeat can be, by its code; the code 0 means that there is no repeat. */
const DIFFERS: readonly (Repeat['differs'] | undefined)[] = [undefined, false, true, null];
/** Bits of a code, and of its place within a byte. */
const BITS = 2;
const MASK = 0b11;
/** Offsets of a block. */
export const BLOCK = 4_096;
/** Repeats up to which a block is a list: of as many as these, it is as large as the codes of all its offsets. */
const MOST_LISTED = 128;

/** The place of an offset's code within its byte. */
const shiftOf = (at: number): number => (at & MASK) * BITS;

/**
 * Which of {@link BLOCK} successive offsets are repeats. Few are kept as a list of numbers, which are four times the place
 * plus the code; many as the codes of all offsets, four a byte.
 */
export class RepeatBlock {
  private listed: number[] = [];
  private codes: Uint8Array | undefined;

  /** @param at the place within the block, at or above those that were added before. */
  add(at: number, differs: Repeat['differs']): void {
    const code = DIFFERS.indexOf(differs);
    if (this.codes === undefined) this.list(at, code);
    else this.write(this.codes, at, code);
  }

  /** @returns `undefined`: the offset is no repeat. */
  differs(at: number): Repeat['differs'] | undefined {
    const code =
      this.codes === undefined
        ? (this.listed.find((each) => each >> BITS === at) ?? 0)
        : (this.codes[at >> BITS] ?? 0) >> shiftOf(at);
    return DIFFERS[code & MASK];
  }

  deleteBelow(at: number): void {
    this.listed = this.listed.filter((each) => each >> BITS >= at);
    if (this.codes === undefined) return;
    const byte = at >> BITS;
    this.codes.fill(0, 0, byte);
    this.codes[byte] = (this.codes[byte] ?? 0) & (0xff << shiftOf(at));
  }

  copy(): RepeatBlock {
    const copy = new RepeatBlock();
    copy.listed = [...this.listed];
    copy.codes = this.codes?.slice();
    return copy;
  }

  private list(at: number, code: number): void {
    const last = this.listed.at(-1);
    if (last !== undefined && last >> BITS === at) this.listed.pop();
    this.listed.push((at << BITS) | code);
    if (this.listed.length <= MOST_LISTED) return;
    this.codes = new Uint8Array(BLOCK >> BITS);
    for (const each of this.listed) this.write(this.codes, each >> BITS, each & MASK);
    this.listed = [];
  }

  private write(codes: Uint8Array, at: number, code: number): void {
    const byte = at >> BITS;
    codes[byte] = ((codes[byte] ?? 0) & ~(MASK << shiftOf(at))) | (code << shiftOf(at));
  }
}
