import type { Repeat } from './changes';
import { BLOCK, RepeatBlock } from './repeat-block';

/**
 * Repeats of a partition in little memory: there may be many millions, more than a map can have entries. Blocks without a
 * repeat take none.
 */
export class PackedRepeats {
  /** By their first offset, divided by {@link BLOCK}; in order. */
  private readonly blocks = new Map<number, RepeatBlock>();

  /** @param repeats by offset. */
  constructor(repeats: Iterable<Repeat> = []) {
    for (const repeat of repeats) this.add(repeat);
  }

  /** @param repeat one at or above those that were added before; of two at an offset, the later one counts. */
  add({ offset, differs }: Repeat): void {
    const number = Math.floor(offset / BLOCK);
    const block = this.blocks.get(number) ?? new RepeatBlock();
    this.blocks.set(number, block);
    block.add(offset % BLOCK, differs);
  }

  /** @returns `undefined`: the event at the offset is no repeat. */
  differs(offset: number): Repeat['differs'] | undefined {
    return this.blocks.get(Math.floor(offset / BLOCK))?.differs(offset % BLOCK);
  }

  deleteBelow(offset: number): void {
    const first = Math.floor(offset / BLOCK);
    for (const number of this.blocks.keys()) {
      if (number >= first) break;
      this.blocks.delete(number);
    }
    this.blocks.get(first)?.deleteBelow(offset % BLOCK);
  }

  copy(): PackedRepeats {
    const copy = new PackedRepeats();
    for (const [number, block] of this.blocks) copy.blocks.set(number, block.copy());
    return copy;
  }
}
