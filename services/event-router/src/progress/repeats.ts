import type { BaseKind, Repeat } from '../store/changes';
import type { PackedRepeats } from '../store/packed-repeats';

/** Offsets of events that are delivered to nobody (duplicates, suppressed), which detached lanes must skip. */
export class Repeats {
  private readonly byOffset: PackedRepeats;
  private added: Repeat[] = [];

  constructor(restored: PackedRepeats) {
    this.byOffset = restored.copy();
  }

  /** @param offset at or above those that were added before. */
  add(offset: number, kind: Exclude<BaseKind, 'New'>): void {
    const repeat = { offset, differs: kind === 'Suppressed' ? null : kind === 'DifferentBody' };
    this.byOffset.add(repeat);
    this.added.push(repeat);
  }

  /** How the live reader classified the event. */
  kindOf(offset: number): BaseKind {
    const differs = this.byOffset.differs(offset);
    if (differs === undefined) return 'New';
    if (differs === null) return 'Suppressed';
    return differs ? 'DifferentBody' : 'Duplicate';
  }

  /** The additions since the last call, for the store. @param from repeats below this offset are dropped. */
  take(from: number): readonly Repeat[] {
    this.byOffset.deleteBelow(from);
    const added = this.added.filter(({ offset }) => offset >= from);
    this.added = [];
    return added;
  }
}
